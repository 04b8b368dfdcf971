"""What the documents say. Nothing is taken from anywhere."""

TITLE = "Commissioning of the cooling plant"

PARAGRAPHS = [
    "The efficient pump of the first circuit was fitted on Monday. Its flow of 12.5 "
    "litres a second is sufficient for the offline magnets, and the difference of the "
    "pressures stayed below 0.3 bar.",
    "After lunch the shift found that valve CV-102 did not close. The actuator was "
    "exchanged, and the limit switch was adjusted twice before the interlock cleared.",
    "The supply of 3.5 kV was ramped in steps of 250 volts. No spark was seen until "
    "the last step, where the current of channel 17 tripped the relay K4.",
    "We propose to repeat the test with a slower ramp. The spare transformer has to be "
    "moved to hall B first, which the crane crew can do on Thursday morning.",
]

HEADINGS = ["Cooling water", "Valve trouble", "High voltage", "Next steps"]

ROWS = [
    ["Device", "Reading", "Unit", "Remark"],
    ["PT-201", "4.82", "bar", "steady"],
    ["TE-330", "61.5", "degrees", "rising slowly"],
    ["FQ-118", "12.47", "litres", "after cleaning"],
]

FOOTNOTE = "Measured with the portable gauge of the vacuum group."

GERMAN = [
    "Die Kühlwasserpumpe läuft seit gestern ungewöhnlich laut. Öl tropft aus der "
    "Dichtung, die Größe des Lecks beträgt etwa fünf Milliliter täglich.",
    "Der Schichtführer hat die Anlage außer Betrieb genommen und übergibt an den "
    "nächsten Dienst. Prüfung des Lagers für Mittwoch vorgemerkt.",
]

RUSSIAN = [
    "Насос охлаждения остановлен вчера вечером. Давление упало до двух бар, "
    "клапан закрыт вручную.",
    "Смена заменила уплотнение и проверила датчик температуры. Запуск назначен на утро.",
]

ARABIC = [
    "توقفت مضخة التبريد مساء أمس",
    "تم استبدال الصمام وفحص الحساس",
]

HEBREW = [
    "משאבת הקירור נעצרה אתמול בערב",
    "השסתום הוחלף והחיישן נבדק",
]

LIGATURES = (
    "The efficient office staff filed five affidavits about the first flight of the "
    "offshore fleet; the official found no conflict in the final classification."
)

LEFT = [
    "Left column begins with the injector. Its laser was aligned before breakfast and "
    "the camera shows a round spot of two millimetres.",
    "The cathode was exchanged after the quantum yield fell below one percent during "
    "the night, and the spare one is in the oven.",
]
RIGHT = [
    "Right column continues with the dump. The graphite block reached ninety degrees "
    "while the beam was parked there for an hour.",
    "Radiation monitors outside the bunker saw nothing, and the survey team released "
    "the area at noon.",
]


def expected(file, form, by, texts, headings=(), rows=(), no_text=False):
    """What a file says, as the comparison reads it."""
    return {
        "file": file,
        "format": form,
        "by": by,
        "texts": list(texts),
        "headings": list(headings),
        "rows": [list(row) for row in rows],
        "has_no_text": no_text,
    }
