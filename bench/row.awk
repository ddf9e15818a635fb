# SPDX-License-Identifier: BSD-3-Clause
# A line of the table (figures.awk). -v name: the row.

function cell(column) {
    if (gather(name, column))
        return with_unit(name, mid)
    return failure(name, column) ? failure(name, column) : "-"
}

function ratio_cell(column, to,   x) {
    x = ratio(name, column, to)
    return x ? three_digits(x) : "-"
}

END {
    printf "%-34s", name
    for (i = 1; i <= count; i++)
        printf " %9s %9s", cell("native-" host[i]), cell("Proa-" host[i])
    printf " %9s  ", cell("limit")
    for (i = 1; i <= count; i++)
        printf " %7s", ratio_cell("Proa-" host[i], "alone")
    printf "  "
    for (i = 1; i <= count; i++)
        printf " %7s", ratio_cell("Proa-" host[i], "limit")
    printf "\n"
}
