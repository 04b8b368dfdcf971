"""Prints a picture of the terminal after `gannet quickstart`, as SVG.

Usage: terminal.py GANNET. It ends with the second question, as a terminal of
that height would.
"""

import html
import os
import re
import subprocess
import sys
import tempfile

COLUMNS = 104
SIZE, LINE, MARGIN = 14, 19, 20
# The width of a character, in the size above.
ADVANCE = 8.43
BACKGROUND, TEXT, DIM = "#1d2127", "#d7dce2", "#8b949e"
PLAIN = (TEXT, False)
COLORS = {31: "#ff8a80", 32: "#8fd694", 33: "#f2c14e", 36: "#6cc3d5"}
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace"
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m")


def main(gannet):
    lines = ["\x1b[1m$ gannet quickstart\x1b[0m", *first_answer(quickstart(gannet))]
    height = 2 * MARGIN + LINE * (len(lines) - 1) + SIZE // 2
    width = round(2 * MARGIN + ADVANCE * COLUMNS)
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' font-family="{FONT}" font-size="{SIZE}">'
    )
    print("<title>The terminal after gannet quickstart</title>")
    print(f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>')
    style = PLAIN
    for number, line in enumerate(lines):
        style = draw(line, MARGIN + 10 + LINE * number, style)
    print("</svg>")


def quickstart(gannet):
    """What it prints in a terminal of somebody's home, without the progress that
    it overwrites."""
    variables = {**os.environ, "COLUMNS": str(COLUMNS)}
    variables.pop("NO_COLOR", None)
    with tempfile.TemporaryDirectory() as folder:
        command = [gannet, "--color", "always", "quickstart"]
        options = {"cwd": folder, "env": variables, "stderr": subprocess.DEVNULL}
        run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options)
        return run.stdout.replace(os.path.realpath(folder), "/home/operator")


def first_answer(output):
    """All lines up to the second question, with it."""
    lines = output.rstrip().split("\n")
    questions = [at for at, line in enumerate(lines) if plain(line).startswith("? ")]
    return lines[: questions[1] + 1]


def plain(line):
    return SEQUENCE.sub("", line)


def draw(line, y, style):
    """Prints the words of a line, one element for each change of style or gap,
    so that columns stand below each other in any font. Gives the style in which
    the next line begins."""
    column = 0
    for at, part in enumerate(SEQUENCE.split(line)):
        if at % 2:
            style = styled(part, style)
            continue
        for word in re.finditer(r"\S+(?: \S+)*", part):
            x = MARGIN + ADVANCE * (column + word.start())
            length = ADVANCE * len(word.group())
            color, is_bold = style
            weight = ' font-weight="bold"' if is_bold else ""
            print(
                f'<text x="{x:.1f}" y="{y}" fill="{color}"{weight} textLength="{length:.1f}"'
                f' xml:space="preserve">{html.escape(word.group())}</text>'
            )
        column += len(part)
    return style


def styled(codes, style):
    """The style after a sequence of terminal codes: color, and whether bold."""
    color, is_bold = style
    for code in (int(code or 0) for code in codes.split(";")):
        if code == 0:
            color, is_bold = PLAIN
        elif code == 1:
            is_bold = True
        elif code == 2:
            color = DIM
        elif code in COLORS:
            color = COLORS[code]
        else:
            raise ValueError(f"a style that the picture does not have: {code}")
    return color, is_bold


main(*sys.argv[1:])
