# SPDX-License-Identifier: BSD-3-Clause
# A cluster of Slurm on the hosts of test/hosts, for scripts that source this on node0: the controller there, a daemon on each other node.
# All live in the process namespace of test/hosts and end with it. Each daemon has control groups of its own (version 1), below those of the caller
# and named $SITES_GROUP, for Slurm's cgroup plugins; without these, Slurm follows its processes by /proc.
# shellcheck shell=bash

# cluster_missing: a command that is not here; nothing: all are.
cluster_missing() {
  local tool
  for tool in munged slurmctld slurmd srun sbatch scontrol; do
    PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || { echo "$tool" && return; }
  done
}

# cluster_wait SECONDS COMMAND...: until it succeeds.
cluster_wait() {
  local tenth
  for ((tenth = 0; tenth < 10 * $1; tenth++)); do
    "${@:2}" >/dev/null 2>&1 && return
    sleep 0.1
  done
  return 1
}

# A key and a socket of its own, for all nodes: they share the file system.
cluster_munge() {
  (umask 077 && head -c 1024 /dev/urandom >"$cluster/munge.key")
  munged --force --key-file="$cluster/munge.key" --socket="$cluster/munge.socket" --pid-file="$cluster/munge.pid" --log-file="$cluster/munge.log" \
    --seed-file="$cluster/munge.seed" --num-threads=2 || return 1
  cluster_wait 10 test -S "$cluster/munge.socket"
}

sites=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
controllers=(freezer cpuset memory devices cpuacct)

# cluster_group CONTROLLER: the folder of this process's group.
cluster_group() {
  echo "/sys/fs/cgroup/$1$(sed -n "s/^[0-9]*:$1://p" /proc/self/cgroup)"
}

# cluster_group_enter NAME: this process goes into a new group below its own, of each controller.
cluster_group_enter() {
  local controller folder file
  for controller in "${controllers[@]}"; do
    folder=$(cluster_group "$controller")/$1
    mkdir "$folder" || return 1
    if [ "$controller" = cpuset ]; then
      for file in cpuset.cpus cpuset.mems; do
        cat "$folder/../$file" >"$folder/$file" || return 1
      done
    fi
    echo "$BASHPID" >"$folder/cgroup.procs" || return 1
  done
}

# The groups of all nodes, once their processes have ended.
cluster_groups_remove() {
  local controller
  for controller in "${controllers[@]}"; do
    find "$(cluster_group "$controller")" -mindepth 1 -depth -type d -path "*/$SITES_GROUP.*" -exec rmdir {} + 2>/dev/null
  done
}

# Can there be groups? A try.
cluster_has_groups() {
  local outcome=0
  (cluster_group_enter "$SITES_GROUP.try") 2>/dev/null || outcome=1
  cluster_groups_remove
  return "$outcome"
}

# Runs a daemon, for which its groups are the roots.
cluster_daemon() {
  cluster_group_enter "$SITES_GROUP.$1" || exit 1
  export -f cluster_daemon_within
  exec unshare --cgroup --mount bash -c 'cluster_daemon_within "$@"' daemon "$1" "${controllers[@]}"
}

cluster_daemon_within() {
  local controller
  mount -t tmpfs tmpfs /sys/fs/cgroup || exit 1
  for controller in "${@:2}"; do
    mkdir "/sys/fs/cgroup/$controller" && mount -t cgroup -o "$controller" none "/sys/fs/cgroup/$controller" || exit 1
  done
  exec slurmd -D -N "$1"
}

cluster_configure() {
  local track=(ProctrackType=proctrack/linuxproc TaskPlugin=task/affinity)
  [ -z "$with_groups" ] || track=(ProctrackType=proctrack/cgroup "TaskPlugin=task/cgroup,task/affinity")
  cat >"$cluster/slurm.conf" <<END
ClusterName=proa
SlurmctldHost=node0
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool.%n
TmpFS=$cluster/tmp.%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.%n.log
$(printf '%s\n' "${track[@]}")
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=200
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName=node[1-$1] CPUs=$(nproc) RealMemory=4000
PartitionName=all Nodes=ALL Default=YES MaxTime=5 State=UP
END
  printf '%s\n' CgroupPlugin=cgroup/v1 CgroupAutomount=no ConstrainCores=yes ConstrainRAMSpace=yes ConstrainDevices=no >"$cluster/cgroup.conf"
  export SLURM_CONF=$cluster/slurm.conf
}

cluster_is_up() {
  [ "$(sinfo -h -N -t idle 2>/dev/null | wc -l)" -eq "$1" ]
}

# cluster_start FOLDER NODES: node1 to nodeNODES work, and node0 controls.
cluster_start() {
  local i
  cluster=$1 with_groups=''
  ! cluster_has_groups || with_groups=1
  PATH=$PATH:/usr/sbin
  mkdir -p "$cluster/state"
  cluster_munge && cluster_configure "$2" || return 1
  slurmctld -c -D >/dev/null 2>&1 &
  for ((i = 1; i <= $2; i++)); do
    mkdir -p "$cluster/spool.node$i" "$cluster/tmp.node$i"
    if [ -n "$with_groups" ]; then
      "$PROA_HOSTS_FOLDER_NOW/agent" "node$i" ". '$sites/cluster.sh'; cluster_daemon node$i >'$cluster/daemon$i.log' 2>&1" &
    else
      "$PROA_HOSTS_FOLDER_NOW/agent" "node$i" "exec slurmd -D -N node$i >/dev/null 2>&1" &
    fi
  done
  cluster_wait 30 cluster_is_up "$2"
}
