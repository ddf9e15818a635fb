# SPDX-License-Identifier: BSD-3-Clause
# Compares with the JSON of an earlier run, which is the first file, before `figures` (figures.awk). A figure has changed if its rounds and the
# earlier ones do not overlap. -v check=1: only whether that file is such a JSON, by the exit status.

BEGIN { files_before = 1 }

files <= files_before { json = json " " $0 }

# The value of a key in a text without braces; text without its quotes.
function member(object, key,   found) {
    if (!match(object, "\"" key "\" *: *(\"[^\"]*\"|\\[[^]]*\\]|[^],]+)"))
        return ""
    found = substr(object, RSTART, RLENGTH)
    sub(/^"[^"]*" *: */, "", found)
    gsub(/^"|"$/, "", found)
    sub(/ +$/, "", found)
    return found
}

function read_earlier(   n, i, j, objects, row, column, figures, m, list) {
    began = member(json, "began")
    version = member(json, "proa")
    n = split(substr(json, index(json, "\"figures\"")), objects, /[{}]/)
    for (i = 1; i <= n; i++) {
        row = member(objects[i], "row")
        figures = member(objects[i], "rounds")
        if (row == "" || figures !~ /^\[/)
            continue
        column = member(objects[i], "by")
        if (column != "limit")
            column = (member(objects[i], "proa") == "true" ? "Proa-" : "native-") column
        m = split(substr(figures, 2, length(figures) - 2), list, /[ ,]+/)
        for (j = 1; j <= m; j++)
            if (list[j] != "")
                keep_earlier(row SUBSEP column, list[j] + 0)
        earlier_count++
    }
}

function keep_earlier(key, x) {
    earlier[key, ++earlier_n[key]] = x
}

# Sets old_mid, old_low and old_high.
function gather_earlier(key,   i, list) {
    for (i = 1; i <= earlier_n[key]; i++)
        list[i] = earlier[key, i]
    old_mid = median_of(list, earlier_n[key])
    old_low = list[1]
    old_high = list[earlier_n[key]]
}

function compare(row, column,   factor, key) {
    key = row SUBSEP column
    if (!(key in earlier_n) || !gather(row, column))
        return
    gather_earlier(key)
    compared++
    if (low <= old_high && high >= old_low)
        return
    factor = mid > old_mid ? mid / old_mid : old_mid / mid
    if (factor < 1 + PERCENT / 100)
        return
    if (!changed++)
        print "Changed, by more than the noise:"
    printf "  %-34s %-22s %9s -> %9s   %s times %s\n", row, column_title(column), with_unit(row, old_mid), with_unit(row, mid),
        three_digits(factor), (mid > old_mid ? "slower" : "quicker")
}

END {
    read_earlier()
    if (check)
        exit !earlier_count
    print "Against the run of " began " by Proa " version ":"
    for (k = 1; k <= row_count; k++) {
        for (i = 1; i <= count; i++) {
            compare(order[k], "native-" host[i])
            compare(order[k], "Proa-" host[i])
        }
        compare(order[k], "limit")
    }
    printf "%d of %d figures have changed\n", changed, compared
}
