"""The scripts of characters, tfcompat/strings/scripts.txt: the first character of each range, and its number."""

from pathlib import Path

FILE = Path(__file__).parents[2] / "tfcompat" / "strings" / "scripts.txt"


def record(tf, options):
    """Writes the file."""
    numbers = tf.strings.unicode_script(tf.range(0x110000)).numpy().tolist()
    first = [i for i, number in enumerate(numbers) if i == 0 or number != numbers[i - 1]]
    lines = [f"{i:x} {numbers[i]}" for i in first]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
