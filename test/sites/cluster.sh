# SPDX-License-Identifier: BSD-3-Clause
# A cluster of Slurm on the hosts of test/hosts, for scripts that source this on node0: the controller there, a daemon on each other node.
# All live in the process namespace of test/hosts and end with it.
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

cluster_configure() {
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
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName=node[1-$1] CPUs=$(nproc)
PartitionName=all Nodes=ALL Default=YES MaxTime=5 State=UP
END
  : >"$cluster/cgroup.conf"
  export SLURM_CONF=$cluster/slurm.conf
}

cluster_is_up() {
  [ "$(sinfo -h -N -t idle 2>/dev/null | wc -l)" -eq "$1" ]
}

# cluster_start FOLDER NODES: node1 to nodeNODES work, and node0 controls.
cluster_start() {
  local i
  cluster=$1
  PATH=$PATH:/usr/sbin
  mkdir -p "$cluster/state"
  cluster_munge && cluster_configure "$2" || return 1
  slurmctld -c -D >/dev/null 2>&1 &
  for ((i = 1; i <= $2; i++)); do
    mkdir -p "$cluster/spool.node$i" "$cluster/tmp.node$i"
    "$PROA_HOSTS_FOLDER_NOW/agent" "node$i" "exec slurmd -D -N node$i >/dev/null 2>&1" &
  done
  cluster_wait 30 cluster_is_up "$2"
}
