# SPDX-License-Identifier: BSD-3-Clause
# Sourced by scripts that run for longer than ten seconds: a bar on a terminal, below the lines that are done. Elsewhere nothing is printed.
#
#   progress_begin STEPS    how many there will be
#   progress WHAT           a step begins; those before it are done
#   progress_clear          before a line of the script's own, and at the end

progress_begin() {
    progress_steps=$1 progress_done=-1 progress_began=$SECONDS
}

# The time left is that of the steps done, for those to come.
progress() {
    local width=30 filled passed=$((SECONDS - progress_began)) left='' bar
    progress_done=$((progress_done + 1))
    [ -t 2 ] || return 0
    filled=$((progress_steps > 0 ? width * progress_done / progress_steps : 0))
    bar=$(printf '%*s' "$filled" '' | tr ' ' '#')$(printf '%*s' $((width - filled)) '')
    [ "$progress_done" -eq 0 ] || left=", about $(progress_time $((passed * (progress_steps - progress_done) / progress_done))) left"
    printf '\r\033[K[%s] %d of %d, %s%s: %s' "$bar" "$progress_done" "$progress_steps" "$(progress_time "$passed")" "$left" "$1" >&2
}

progress_time() {
    if [ "$1" -lt 120 ]; then
        echo "$1 s"
    else
        echo "$((($1 + 30) / 60)) min"
    fi
}

progress_clear() {
    [ ! -t 2 ] || printf '\r\033[K' >&2
}
