"""Libraries of Python that write office documents."""

import datetime

import texts
from office import convert
from texts import expected

FLOWS = [" ".join(row) for row in texts.ROWS]


def make(folder):
    return [*words(folder), *sheets(folder), *slides(folder), *opendocuments(folder), *book(folder)]


def words(folder):
    import docx

    document = docx.Document()
    document.add_heading(texts.TITLE, 0)
    for name, text in zip(texts.HEADINGS, texts.PARAGRAPHS):
        document.add_heading(name, 1)
        # Words cut into runs, as programs leave them behind.
        paragraph = document.add_paragraph()
        for index in range(0, len(text), 7):
            paragraph.add_run(text[index:index + 7]).bold = index % 2 == 0
    document.save(folder / "python-headings.docx")
    yield expected("python-headings.docx", "docx", "python-docx", [texts.TITLE, *texts.PARAGRAPHS],
                   texts.HEADINGS)

    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = texts.TITLE
    table = document.add_table(len(texts.ROWS), len(texts.ROWS[0]))
    for number, row in enumerate(texts.ROWS):
        for cell, text in zip(table.rows[number].cells, row):
            cell.text = text
    inner = table.rows[0].cells[0].add_table(1, 1)
    inner.rows[0].cells[0].text = "nested remark"
    document.add_paragraph(texts.GERMAN[0])
    document.save(folder / "python-table.docx")
    yield expected("python-table.docx", "docx", "python-docx",
                   [*FLOWS[1:], "nested remark", texts.GERMAN[0], texts.TITLE], [], texts.ROWS[1:])


def sheets(folder):
    import openpyxl
    import xlsxwriter

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Readings"
    for row in texts.ROWS:
        sheet.append(row)
    sheet.append([datetime.date(2026, 3, 31), 0.1, True, "checked"])
    second = book.create_sheet("Shift plan")
    second["C4"] = "Night shift starts late"
    book.save(folder / "python-sheets.xlsx")
    yield expected("python-sheets.xlsx", "xlsx", "openpyxl",
                   [*FLOWS, "2026-03-31", "checked", "Readings", "Shift plan",
                    "Night shift starts late"], ["Readings", "Shift plan"], texts.ROWS)

    book = xlsxwriter.Workbook(str(folder / "python-formats.xlsx"))
    sheet = book.add_worksheet("Doses")
    date = book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
    percent = book.add_format({"num_format": "0%"})
    bold = book.add_format({"bold": True})
    sheet.write_datetime(0, 0, datetime.datetime(2026, 4, 1, 8, 30), date)
    sheet.write_number(0, 1, 0.25, percent)
    sheet.write_rich_string(0, 2, "dose ", bold, "exceeded", " here")
    sheet.write_formula(1, 0, '="inter"&"lock"', None, "interlock")
    sheet.write_comment(1, 1, "asked the radiation group")
    book.close()
    yield expected("python-formats.xlsx", "xlsx", "XlsxWriter",
                   ["2026-04-01 08:30", "25", "dose exceeded here", "interlock"], ["Doses"])


def slides(folder):
    import pptx
    from pptx.util import Inches

    deck = pptx.Presentation()
    for name, text in zip(texts.HEADINGS, texts.PARAGRAPHS):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = name
        slide.placeholders[1].text = text
        slide.notes_slide.notes_text_frame.text = f"Say more about {name.lower()}"
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    shape = slide.shapes.add_table(len(texts.ROWS), 4, Inches(1), Inches(1), Inches(8), Inches(2))
    for number, row in enumerate(texts.ROWS):
        for column, text in enumerate(row):
            shape.table.cell(number, column).text = text
    box = slide.shapes.add_textbox(Inches(1), Inches(5), Inches(4), Inches(1))
    box.text_frame.text = texts.LIGATURES
    deck.save(folder / "python-slides.pptx")
    says = {
        "texts": [*texts.PARAGRAPHS, *FLOWS, texts.LIGATURES],
        "headings": texts.HEADINGS, "rows": texts.ROWS,
    }
    notes = [f"Say more about {name.lower()}" for name in texts.HEADINGS]
    with_notes = {**says, "texts": [*says["texts"], *notes]}
    yield expected("python-slides.pptx", "pptx", "python-pptx", **with_notes)
    for to in ("odp", "pdf"):
        convert(folder / "python-slides.pptx", to, folder)
        says_here = with_notes if to == "odp" else says
        yield expected(f"python-slides.{to}", to, "LibreOffice Impress", **says_here)
    again = folder / "sources" / "impress-slides.odp"
    again.write_bytes((folder / "python-slides.odp").read_bytes())
    convert(again, "pptx", folder)
    yield expected("impress-slides.pptx", "pptx", "LibreOffice Impress", **with_notes)


def opendocuments(folder):
    from odf.opendocument import OpenDocumentSpreadsheet, OpenDocumentText
    from odf.table import Table, TableCell, TableRow
    from odf.text import H, P

    text = OpenDocumentText()
    for name, paragraph in zip(texts.HEADINGS, texts.PARAGRAPHS):
        text.text.addElement(H(outlinelevel=1, text=name))
        text.text.addElement(P(text=paragraph))
    text.save(folder / "python-headings.odt")
    yield expected("python-headings.odt", "odt", "odfpy", texts.PARAGRAPHS, texts.HEADINGS)

    sheet = OpenDocumentSpreadsheet()
    table = Table(name="Readings")
    for row in texts.ROWS:
        line = TableRow()
        for cell in row:
            place = TableCell(valuetype="string")
            place.addElement(P(text=cell))
            line.addElement(place)
        table.addElement(line)
    sheet.spreadsheet.addElement(table)
    sheet.save(folder / "python-sheet.ods")
    yield expected("python-sheet.ods", "ods", "odfpy", [*FLOWS, "Readings"], ["Readings"],
                   texts.ROWS)


def book(folder):
    from ebooklib import epub

    made = epub.EpubBook()
    made.set_identifier("plant")
    made.set_title(texts.TITLE)
    made.set_language("en")
    chapters = []
    for number, (name, text) in enumerate(zip(texts.HEADINGS, texts.PARAGRAPHS)):
        chapter = epub.EpubHtml(title=name, file_name=f"c{number}.xhtml")
        chapter.content = f"<h1>{name}</h1><p>{text}</p>"
        made.add_item(chapter)
        chapters.append(chapter)
    made.toc = chapters
    made.add_item(epub.EpubNcx())
    made.add_item(epub.EpubNav())
    made.spine = chapters
    epub.write_epub(str(folder / "python-book.epub"), made)
    yield expected("python-book.epub", "epub", "EbookLib", texts.PARAGRAPHS, texts.HEADINGS)
