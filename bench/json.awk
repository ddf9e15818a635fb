# SPDX-License-Identifier: BSD-3-Clause
# All figures as JSON (figures.awk).

function text(s) {
    gsub(/[\\"]/, "\\\\&", s)
    return "\"" s "\""
}

# One column of a row, if anything was tried there.
function figure_object(row, column,   line, r, n, list, x) {
    for (r = 1; r <= rounds; r++)
        if ((x = number(row, r, column)) > 0)
            list = list (n++ ? ", " : "") value[row, r, column]
    if (!n && failure(row, column) == "")
        return
    line = "{\"row\": " text(row) ", \"ranks\": " ranks[row]
    line = line ", \"by\": " text(column == "limit" ? "limit" : substr(column, index(column, "-") + 1))
    line = line ", \"proa\": " (column ~ /^Proa-/ ? "true" : "false")
    if (failure(row, column) != "")
        line = line ", \"failed\": " text(failure(row, column))
    if (n) {
        gather(row, column)
        line = line ", \"unit\": " text(row ~ /_peak$/ ? "bytes" : "ns") ", \"rounds\": [" list "], \"median\": " sprintf("%.3f", mid)
        if (column ~ /^Proa-/ && ratio(row, column, "alone"))
            line = line ", \"of_best_alone\": " sprintf("%.4f", ratio(row, column, "alone"))
        if (column ~ /^Proa-/ && ratio(row, column, "limit"))
            line = line ", \"of_limit\": " sprintf("%.4f", ratio(row, column, "limit"))
    }
    printf "%s\n    %s}", (printed++ ? "," : ""), line
}

END {
    n = split(wanted, words, " ")
    for (i = 1; i < n; i += 2)
        ranks[words[i]] = words[i + 1]
    printf "{\n  \"proa\": %s,\n  \"began\": %s,\n  \"seconds\": %d,\n", text(proa), text(began), seconds
    printf "  \"system\": {\"kernel\": %s, \"processors\": %d, \"processor\": %s, \"load_before\": %s, \"load_after\": %s},\n", text(kernel), \
        processors, text(processor), text(before), text(after)
    printf "  \"mpi\": ["
    n = split(mpi, list, ";")
    for (i = 1; i < n; i++) {
        split(list[i], words, "|")
        printf "%s{\"name\": %s, \"launcher\": %s, \"version\": %s}", (i > 1 ? ", " : ""), text(words[1]), text(words[2]), text(words[3])
    }
    printf "],\n  \"figure\": %s,\n  \"figures\": [", text(figure)
    for (k = 1; k <= row_count; k++) {
        for (i = 1; i <= count; i++) {
            figure_object(order[k], "native-" host[i])
            figure_object(order[k], "Proa-" host[i])
        }
        figure_object(order[k], "limit")
    }
    printf "\n  ]\n}\n"
}
