# SPDX-License-Identifier: BSD-3-Clause
# What the parts of `proa bench` that look at figures share. The file `figures` has lines "ROW ROUND COLUMN FIGURE"; a column is native or
# Proa, a dash and an MPI, or limit; a figure is a number, nanoseconds mostly, or the word for what happened instead.
# -v names: the MPIs. files_before: how many files come before it.

BEGIN {
    count = split(names, host, " ")
    PERCENT = 3 # less than that nothing differs by, however often it is measured
    if (!files_before)
        files_before = 0
}

FNR == 1 { files++ }

NF == 4 && files > files_before {
    if (!($1 in known)) {
        known[$1] = 1
        order[++row_count] = $1
    }
    value[$1, $2, $3] = $4
    if ($2 > rounds)
        rounds = $2
}

function is_number(x) { return x ~ /^[0-9]/ }

# The figure, or 0.
function number(row, r, column) {
    return (row, r, column) in value && is_number(value[row, r, column]) ? value[row, r, column] + 0 : 0
}

function median_of(list, n,   i, j, t) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j - 1] > list[j]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# Sets low, high and mid, and gives how many rounds there are.
function gather(row, column,   r, n, x, list) {
    for (r = 1; r <= rounds; r++)
        if ((x = number(row, r, column)) > 0)
            list[++n] = x
    if (!n)
        return 0
    mid = median_of(list, n)
    low = list[1]
    high = list[n]
    return n
}

# The word in a column without figures, or "".
function failure(row, column,   r) {
    for (r = 1; r <= rounds; r++)
        if ((row, r, column) in value && !is_number(value[row, r, column]))
            return value[row, r, column]
    return ""
}

# Less than 0.005 has one digit, as it is not 0.
function three_digits(x) { return sprintf(x < 0.005 ? "%.1g" : x < 9.995 ? "%.2f" : x < 99.95 ? "%.1f" : "%.0f", x) }

function with_unit(row, x) {
    if (row ~ /_peak$/) # bytes
        return x < 1023.5 * 1024 ? three_digits(x / 1024) " KiB" : three_digits(x / 1048576) " MiB"
    if (x < 999.5) return three_digits(x) " ns"
    if (x < 999.5e3) return three_digits(x / 1e3) " us"
    return x < 999.5e6 ? three_digits(x / 1e6) " ms" : three_digits(x / 1e9) " s "
}

# Without one-sided communication there is no better or worse MPI: there Proa is compared with the one it is on.
function best_alone(row, r, column,   i, a, best) {
    if (row ~ /^idle\./)
        return number(row, r, "native" substr(column, 5))
    for (i = 1; i <= count; i++) {
        a = number(row, r, "native-" host[i])
        if (a && (!best || a < best))
            best = a
    }
    return best
}

# The median of the ratios within a round, so that what drifts from round to round does not count; 0: there is none. to: alone or limit.
function ratio(row, column, to,   r, n, list, above, below) {
    for (r = 1; r <= rounds; r++) {
        above = number(row, r, column)
        below = to == "alone" ? best_alone(row, r, column) : number(row, r, to)
        if (above && below)
            list[++n] = above / below
    }
    return n ? median_of(list, n) : 0
}

function column_title(column,   kind) {
    if (column == "limit")
        return "by hand"
    kind = substr(column, 1, index(column, "-") - 1)
    return substr(column, index(column, "-") + 1) (kind == "Proa" ? " + Proa" : " alone")
}
