# What cmake/hosts says, for scripts of bash, which source this: `hosts` lists them, and "${host_fact[HOST.KEY]}" is a value.
# shellcheck shell=bash

declare -ga hosts=()
declare -gA host_fact=()

host_facts_read() {
    local name key value
    while read -r name key value; do
        case $name in
        '' | '#'*) continue ;;
        esac
        [ -n "${host_fact[$name]+known}" ] || hosts+=("$name")
        host_fact[$name]=known
        host_fact[$name.$key]=$value
    done
}
host_facts_read <"${BASH_SOURCE[0]%/*}/hosts"

# host_known NAME: is it one?
host_known() {
    [ -n "${host_fact[$1.title]+known}" ]
}

# Root may start ranks of every host: a container's user is root.
host_allow_root() {
    local host variable
    for host in "${hosts[@]}"; do
        for variable in ${host_fact[$host.root_environment]}; do
            export "${variable?}"
        done
    done
}

# host_library HOST FILE: the path of the host's library that the file is linked to.
host_library() {
    local begins
    for begins in ${host_fact[$1.libraries]}; do
        ldd "$2" | awk -v begins="$begins" 'index($1, begins) == 1 { print $3; exit }'
    done | head -n 1
}

# host_launcher HOST BUILD: the launcher that the build was configured with, or the one in the path.
host_launcher() {
    local found
    found=$(sed -n "s/^PROA_MPIEXEC_${1^^}:[A-Z]*=//p" "$2/CMakeCache.txt" 2>/dev/null)
    [ -x "$found" ] || found=$(command -v "${host_fact[$1.mpiexec]}") || return 1
    echo "$found"
}

# host_python: the host whose mpi4py a Python here has, and that Python; nothing where none has mpi4py and numpy.
host_python() {
    local python said host
    for python in python3 /usr/bin/python3; do
        said=$("$python" -c 'import numpy, mpi4py
mpi4py.rc.initialize = mpi4py.rc.finalize = False
from mpi4py import MPI
print(MPI.Get_library_version().rstrip(chr(0)))' 2>/dev/null) || continue
        for host in "${hosts[@]}"; do
            [[ -z ${host_fact[$host.abi_library]} && -n ${host_fact[$host.version_says]} && $said = *"${host_fact[$host.version_says]}"* ]] &&
                echo "$host $python" && return
        done
        for host in "${hosts[@]}"; do
            [[ -z ${host_fact[$host.abi_library]} && -z ${host_fact[$host.version_says]} ]] && echo "$host $python" && return
        done
    done
}
