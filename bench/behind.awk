# SPDX-License-Identifier: BSD-3-Clause
# The rows where an MPI alone is quicker than Proa by more than the noise (figures.awk): its slowest round is quicker than Proa's quickest.

# The quickest of the MPIs alone that are so, or "". Sets its mid.
function quicker_than(row, column, least,   i, best, best_mid, native) {
    for (i = 1; i <= count; i++) {
        native = "native-" host[i]
        if (row ~ /^idle\./ && native != "native" substr(column, 5))
            continue
        if (gather(row, native) < 2 || high >= least || (best && mid >= best_mid))
            continue
        best = native
        best_mid = mid
    }
    mid = best_mid
    return best
}

END {
    if (rounds < 2) {
        print "One round only: how much figures vary is not known, nor where Proa is behind by more."
        exit
    }
    for (k = 1; k <= row_count; k++)
        for (i = 1; i <= count; i++) {
            column = "Proa-" host[i]
            if (gather(order[k], column) < 2)
                continue
            figures_seen++
            ours = mid
            least = low
            better = quicker_than(order[k], column, least)
            if (!better || ours < mid * (1 + PERCENT / 100))
                continue
            if (!said++)
                print "Behind, by more than the noise:"
            printf "  %-34s %s %s, %s %s (%s times)\n", order[k], column_title(column), with_unit(order[k], ours), column_title(better),
                with_unit(order[k], mid), three_digits(ours / mid)
        }
    if (!said)
        print "Behind, by more than the noise: none of the " figures_seen + 0 " figures with Proa that have several rounds"
}
