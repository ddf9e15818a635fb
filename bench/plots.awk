# SPDX-License-Identifier: BSD-3-Clause
# The data of a plot (figures.awk), a line of titles first; nothing where no row is for it. -v plot: put, get, accumulate or notify
# (nanoseconds over bytes), exchange (nanoseconds of halos and pipelines), rate (how many in a second) or limit (Proa by the limit).

function columns_of(plot,   i) {
    for (i = 1; i <= count; i++) {
        if (plot != "limit")
            column[++columns] = "native-" host[i]
        column[++columns] = "Proa-" host[i]
    }
    if (plot != "limit")
        column[++columns] = "limit"
}

# What stands for a row in a column, or "?".
function point(row, c) {
    if (plot == "limit")
        return ratio(row, column[c], "limit") ? ratio(row, column[c], "limit") : "?"
    if (!gather(row, column[c]))
        return "?"
    return plot == "rate" ? 1e9 / mid : mid
}

# Rows and columns with nothing in them are left out: gnuplot takes them for mistakes.
function look_at(row,   c) {
    for (c = 1; c <= columns; c++)
        if (point(row, c) != "?")
            row_has[row] = column_has[c] = 1
}

function print_titles(   c) {
    printf "row"
    for (c = 1; c <= columns; c++)
        if (c in column_has)
            printf " \"%s\"", column_title(column[c])
    printf "\n"
}

function print_line(row,   c) {
    if (!lines++)
        print_titles()
    printf "%s", label_of(row)
    for (c = 1; c <= columns; c++)
        if (c in column_has)
            printf " %s", point(row, c)
    printf "\n"
}

# The label of the row in this plot, or "": it has no place there.
function label_of(row,   part) {
    split(row, part, ".")
    if (plot == "limit")
        return row
    if (plot == "rate")
        return row ~ /(put_rate|notify_rate|random|(counter|mutex)_[0-9]+|\.window)$/ ? row : ""
    if (plot == "exchange")
        return row ~ /\.(halo|pipeline)_/ ? row : ""
    return part[1] == "allocate" && part[2] == plot && part[3] ~ /^[0-9]+$/ ? part[3] : ""
}

END {
    columns_of(plot)
    for (k = 1; k <= row_count; k++)
        if (label_of(order[k]) != "")
            look_at(order[k])
    for (k = 1; k <= row_count; k++)
        if (order[k] in row_has)
            print_line(order[k])
}
