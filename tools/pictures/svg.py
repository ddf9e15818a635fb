# SPDX-License-Identifier: BSD-3-Clause
"""What the drawn pictures share: colours for light and for dark, arrows, text in lines."""
import sys

STYLE = """
text { font: 13px sans-serif; fill: #24292f }
.name { font-weight: bold }
.small { font-size: 11px; fill: #57606a }
.over { font-size: 11px; fill: #57606a; paint-order: stroke; stroke: #ffffff; stroke-width: 4 }
.on { fill: #ffffff; font-size: 11px }
.at { fill: #1f2328; font-size: 11px }
.life { stroke: #8c959f; stroke-width: 1.5 }
.box { fill: #eef1f4; stroke: #8c959f }
.wait { fill: #d8dee4 }
.call { fill: #0f7b6c }
.work { fill: #d9a441 }
.data { stroke: #b35900; stroke-width: 2; fill: none }
.sync { stroke: #57606a; stroke-width: 1.5; stroke-dasharray: 4 3; fill: none }
.uses { stroke: #57606a; stroke-width: 1.5; fill: none }
.tipd { fill: #b35900 }
.tips { fill: #57606a }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .small { fill: #9da7b3 }
  .over { fill: #9da7b3; stroke: #0d1117 }
  .on { fill: #0d1117 }
  .at { fill: #1f2328 }
  .life { stroke: #6e7681 }
  .box { fill: #21262d; stroke: #6e7681 }
  .wait { fill: #9da7b3 }
  .call { fill: #35c2ab }
  .work { fill: #c9983a }
  .data { stroke: #ffa657 }
  .sync { stroke: #9da7b3 }
  .uses { stroke: #9da7b3 }
  .tipd { fill: #ffa657 }
  .tips { fill: #9da7b3 }
}
"""
TIP = '<marker id="{0}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path class="tip{0}" d="M0 0L8 4L0 8z"/></marker>'
LETTER = 5.8  # width of one of 11 px, on the average


def fail(why):
    sys.exit(f"picture: {why}")


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def lines_of(text, width):
    """The text in as few lines as fit into so many pixels, by words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and len(longer) * LETTER > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def text_at(x, y, text, cls="small", anchor="middle"):
    return f'<text class="{cls}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escaped(text)}</text>'


def document(width, height, title, source, parts):
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img">',
        f"<!-- written by tools/picture from {source} -->",
        f"<title>{escaped(title)}</title>",
        f"<style>{STYLE}</style>",
        "<defs>" + TIP.format("d") + TIP.format("s") + "</defs>",
    ]
    return "\n".join([*head, *parts]) + "\n</svg>\n"
