# SPDX-License-Identifier: BSD-3-Clause
# Completion of the command proa for bash. Those for zsh and fish ask this one.

_proa() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words='' place
    case $COMP_CWORD.$command in
    1.*) words='run exec info doctor trace top bench --help --version' ;;
    *.info) words='--json --cflags --settings --help' ;;
    *.doctor) words='-n --ranks --hosts --report --help' ;;
    *.trace)
        if [[ $word != -* ]]; then
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
            return
        fi
        words='--json --list --html --svg --perfetto --otf2 --help'
        ;;
    *.top)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -W '--once --help' -- "$word"; compgen -d -- "$word")
        return
        ;;
    *.bench)
        case $before in
        --mpi) words='mpich openmpi' ;;
        --figure) words='min median' ;;
        --json | --against | --plot)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        *) words="--quick --json --plot --against --mpi --repeat --timeout --figure --loops --loop-us --list --help
            $(proa bench --list 2>/dev/null | cut -d' ' -f1)" ;;
        esac
        ;;
    *.run | *.exec)
        if [ "$before" = --mpi ]; then
            words='mpich openmpi abi_mpich abi_openmpi'
        elif [ "$before" = --fail-on ]; then
            words='race misuse note'
        elif [[ $word = -* ]]; then
            words='--mpi --check --check=usage --check=memory --check-stack --check-root --check-json --check-sarif --fail-on --stats --stats= --trace --top --help'
            [ "$command" != run ] || words+=' -n'
        else # a program, or one of its files
            for ((place = 2; place < COMP_CWORD; place++)); do
                [[ ${COMP_WORDS[place]} != -* && ${COMP_WORDS[place - 1]} != -* ]] && break
            done
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word"; [ "$place" -lt "$COMP_CWORD" ] || compgen -c -- "$word")
            return
        fi
        ;;
    esac
    [ "$before" != --settings ] || words='markdown mdoc'
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

# _proa_words AT WORD...: what the word at place AT, from 0 on, may become, a line for each. For other shells.
_proa_words() {
    local COMP_CWORD=$1 COMP_WORDS=("${@:2}") COMPREPLY=()
    compopt() { :; } # of bash's own completion
    _proa
    [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
}
complete -F _proa proa
