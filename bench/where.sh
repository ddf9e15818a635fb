# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the benchmarks: is a figure of what its row says? The ranks write down where they are (where.c).
#
#   where_begin BUILD FILE     before a run: the run is started with LD_PRELOAD=$where_preload and BENCH_WHERE=FILE in the ranks' environment
#   where_wrong FILE RANKS NODES alone|Proa|idle    after it: succeeds if a figure does not count, and tells why in `where_why`; idle: Proa, without windows

where_begin() {
    where_preload=$1/bench/libbench-where.so
    : >"$2"
}

where_wrong() {
    where_why=$(awk -v ranks="$2" -v nodes="$3" -v by="$4" '
        { ranks_seen += !($1 in node); node[$1] = $2; processors[$2] = $3; nodes_seen += !seen[$2]++ }
        by == "alone" && $4 != -1 { why = "Proa is loaded into rank " $1 ", which runs by its MPI alone" }
        by != "alone" && $4 == -1 { why = "Proa is not loaded into rank " $1 }
        by == "Proa" && $4 == 0 { why = "Proa serves no window of rank " $1 }
        END {
            if (ranks_seen != ranks)
                why = ranks_seen + 0 " of " ranks " ranks have told where they are"
            else if (nodes_seen != nodes)
                why = "the ranks are on " nodes_seen " nodes, not on " nodes
            else if (nodes > 1 && ranks > 1 && node[0] == node[1] && ranks == nodes)
                why = "ranks 0 and 1 are on one node"
            print why
        }' "$1")
    [ -n "$where_why" ]
}
