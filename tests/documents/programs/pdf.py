"""Programs that draw PDF files, and those that change them."""

import subprocess
import textwrap

import texts
from texts import expected

SANS = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


def make(folder):
    return [*reportlab(folder), *fpdf(folder), *cairo(folder), *ghostscript(folder),
            *qpdf(folder), *pypdf(folder)]


def lines(text, width=80):
    return textwrap.wrap(text, width)


def reportlab(folder):
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.pdfgen.canvas import Canvas
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

    pdfmetrics.registerFont(TTFont("Sans", SANS))
    styles = getSampleStyleSheet()
    story = [Paragraph(texts.PARAGRAPHS[0], styles["Normal"]), Table(texts.ROWS)]
    SimpleDocTemplate(str(folder / "reportlab-table.pdf"), pagesize=A4).build(story)
    flows = [" ".join(row) for row in texts.ROWS]
    yield expected("reportlab-table.pdf", "pdf", "reportlab", [texts.PARAGRAPHS[0], *flows], [],
                   texts.ROWS)

    def drawn(name, draw, by_font="Sans", **settings):
        canvas = Canvas(str(folder / name), pagesize=A4, **settings)
        canvas.setFont(by_font, 10)
        draw(canvas)
        canvas.save()

    def paragraph(canvas, text, x, y, width=80):
        for line in lines(text, width):
            canvas.drawString(x, y, line)
            y -= 13
        return y - 13

    def languages(canvas):
        y = 780
        for text in texts.GERMAN + texts.RUSSIAN:
            y = paragraph(canvas, text, 50, y)

    drawn("reportlab-languages.pdf", languages)
    yield expected("reportlab-languages.pdf", "pdf", "reportlab", texts.GERMAN + texts.RUSSIAN)

    def by_line(canvas):
        # Both columns line by line, as some programs draw them.
        left = lines(" ".join(texts.LEFT), 42)
        right = lines(" ".join(texts.RIGHT), 42)
        for number in range(max(len(left), len(right))):
            for x, column in ((50, left), (310, right)):
                if number < len(column):
                    canvas.drawString(x, 780 - 13 * number, column[number])

    drawn("reportlab-columns.pdf", by_line)
    yield expected("reportlab-columns.pdf", "pdf", "reportlab",
                   [" ".join(texts.LEFT), " ".join(texts.RIGHT)])

    def upside_down(canvas):
        # The lowest line is drawn first.
        for number, line in reversed(list(enumerate(lines(texts.PARAGRAPHS[0])))):
            canvas.drawString(50, 780 - 13 * number, line)

    drawn("reportlab-reversed.pdf", upside_down)
    yield expected("reportlab-reversed.pdf", "pdf", "reportlab", [texts.PARAGRAPHS[0]])

    def rotated(canvas):
        canvas.setPageRotation(90)
        canvas.saveState()
        canvas.rotate(90)
        paragraph(canvas, texts.PARAGRAPHS[1], 60, -60)
        canvas.restoreState()

    drawn("reportlab-rotated.pdf", rotated, "Helvetica")
    yield expected("reportlab-rotated.pdf", "pdf", "reportlab", [texts.PARAGRAPHS[1]])

    def form(canvas):
        paragraph(canvas, texts.PARAGRAPHS[2], 50, 780)
        canvas.acroForm.textfield(name="remark", value="breaker replaced", x=50, y=600, width=300)

    drawn("reportlab-form.pdf", form)
    yield expected("reportlab-form.pdf", "pdf", "reportlab",
                   [texts.PARAGRAPHS[2], "breaker replaced"])

    def scan(canvas):
        canvas.rect(50, 500, 300, 200, fill=1)

    drawn("reportlab-scan.pdf", scan)
    yield expected("reportlab-scan.pdf", "pdf", "reportlab", [], no_text=True)

    for name, user in (("owner", ""), ("password", "secret")):
        from reportlab.lib.pdfencrypt import StandardEncryption
        encryption = StandardEncryption(user, "master", canPrint=0, strength=128)
        drawn(f"reportlab-{name}.pdf", languages, encrypt=encryption)
        says = [] if user else texts.GERMAN + texts.RUSSIAN
        yield expected(f"reportlab-{name}.pdf", "pdf", "reportlab", says, no_text=bool(user))


def fpdf(folder):
    from fpdf import FPDF

    document = FPDF()
    document.add_page()
    document.add_font("Sans", fname=SANS)
    document.set_font("Sans", size=11)
    for text in texts.PARAGRAPHS + texts.GERMAN:
        document.multi_cell(0, 6, text, align="J")
        document.ln()
    document.output(str(folder / "fpdf-justified.pdf"))
    yield expected("fpdf-justified.pdf", "pdf", "fpdf2", texts.PARAGRAPHS + texts.GERMAN)


def cairo(folder):
    import cairocffi

    surface = cairocffi.PDFSurface(str(folder / "cairo-lines.pdf"), 595, 842)
    context = cairocffi.Context(surface)
    context.select_font_face("DejaVu Sans")
    context.set_font_size(11)
    y = 60
    for text in [*texts.PARAGRAPHS, *texts.RUSSIAN]:
        for line in lines(text):
            context.move_to(40, y)
            context.show_text(line)
            y += 15
    surface.finish()
    yield expected("cairo-lines.pdf", "pdf", "cairo", [*texts.PARAGRAPHS, *texts.RUSSIAN])

    surface = cairocffi.PDFSurface(str(folder / "cairo-letters.pdf"), 595, 842)
    context = cairocffi.Context(surface)
    context.select_font_face("DejaVu Serif")
    context.set_font_size(12)
    # Each letter is placed by itself, and there are no spaces.
    for number, line in enumerate(lines(texts.LIGATURES, 60)):
        x = 40
        for letter in line:
            context.move_to(x, 60 + 18 * number)
            if letter != " ":
                context.show_text(letter)
            x += context.text_extents(letter)[4]
    surface.finish()
    yield expected("cairo-letters.pdf", "pdf", "cairo", [texts.LIGATURES])


def run(*command):
    # qpdf ends with 3 where it warns.
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{command[0]}: {done.stderr.decode()}")


def ghostscript(folder):
    postscript = folder / "sources" / "drawn.ps"
    body = "".join(
        f"50 {780 - 14 * number} moveto ({line}) show\n"
        for number, line in enumerate(lines(texts.PARAGRAPHS[3])))
    postscript.write_text(f"%!PS\n/Times-Roman findfont 11 scalefont setfont\n{body}showpage\n")
    write = ("gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite")
    run(*write, f"-sOutputFile={folder}/gs-drawn.pdf", str(postscript))
    yield expected("gs-drawn.pdf", "pdf", "Ghostscript", [texts.PARAGRAPHS[3]])
    for source, says in (
        ("latex-ligatures", [texts.LIGATURES]),
        ("web-languages", texts.RUSSIAN + texts.GERMAN),
        ("office-headings", texts.PARAGRAPHS),
    ):
        name = f"gs-{source}.pdf"
        run(*write, f"-sOutputFile={folder}/{name}", f"{folder}/{source}.pdf")
        yield expected(name, "pdf", "Ghostscript", says)
    run("gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfimage8", "-r72",
        f"-sOutputFile={folder}/gs-scan.pdf", f"{folder}/office-headings.pdf")
    yield expected("gs-scan.pdf", "pdf", "Ghostscript", [], no_text=True)


def qpdf(folder):
    source = folder / "office-languages.pdf"
    says = texts.GERMAN + texts.RUSSIAN
    for name, options in (
        ("streams", ["--object-streams=generate"]),
        ("linear", ["--linearize"]),
        ("plain", ["--qdf", "--object-streams=disable"]),
        ("aes256", ["--encrypt", "", "master", "256", "--"]),
        ("aes128", ["--encrypt", "", "master", "128", "--use-aes=y", "--"]),
        ("rc4-40", ["--allow-weak-crypto", "--encrypt", "", "master", "40", "--"]),
    ):
        run("qpdf", *options, str(source), f"{folder}/qpdf-{name}.pdf")
        yield expected(f"qpdf-{name}.pdf", "pdf", "qpdf", says)


def pypdf(folder):
    import pypdf as library
    from pypdf.generic import DictionaryObject, NameObject

    # A font that is embedded without a map from its codes to characters.
    writer = library.PdfWriter(clone_from=str(folder / "office-languages.pdf"))
    for item in writer._objects:
        if isinstance(item, DictionaryObject) and item.get("/Type") == "/Font":
            item.pop(NameObject("/ToUnicode"), None)
    writer.write(str(folder / "pypdf-no-map.pdf"))
    yield expected("pypdf-no-map.pdf", "pdf", "pypdf", texts.GERMAN + texts.RUSSIAN)
    merged = library.PdfWriter()
    for name in ("web-headings", "latex-headings"):
        merged.append(str(folder / f"{name}.pdf"))
    merged.write(str(folder / "pypdf-merged.pdf"))
    yield expected("pypdf-merged.pdf", "pdf", "pypdf", texts.PARAGRAPHS * 2)
