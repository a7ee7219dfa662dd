#!/usr/bin/env python3
"""Draws the pictures of the bundled campaigns and of the template: flat shapes in a few colours, as PNG with a palette.

usage: scripts/covers.py
"""
import pathlib
import struct
import zlib

WIDTH, HEIGHT = 640, 360
ROOT = pathlib.Path(__file__).resolve().parent.parent


class Picture:
    """Points that are numbers of colours."""

    def __init__(self, background):
        self.colours = []
        self.points = [bytearray(WIDTH) for _ in range(HEIGHT)]
        self.box(0, 0, WIDTH, HEIGHT, background)

    def number(self, colour):
        if colour not in self.colours:
            self.colours.append(colour)
        return self.colours.index(colour)

    def row(self, y, left, right, colour):
        left, right = max(0, round(left)), min(WIDTH, round(right))
        if 0 <= y < HEIGHT and left < right:
            self.points[y][left:right] = bytes([colour]) * (right - left)

    def box(self, left, top, right, bottom, colour):
        number = self.number(colour)
        for y in range(round(top), round(bottom)):
            self.row(y, left, right, number)

    def oval(self, x, y, rx, ry, colour):
        number = self.number(colour)
        for at in range(int(y - ry), int(y + ry) + 1):
            half = rx * max(0.0, 1 - ((at - y) / ry) ** 2) ** 0.5
            self.row(at, x - half, x + half, number)

    def shape(self, corners, colour):
        """A polygon, by its crossings with the middle of each row."""
        number = self.number(colour)
        sides = list(zip(corners, corners[1:] + corners[:1]))
        for y in range(HEIGHT):
            middle = y + 0.5
            cuts = sorted(
                x1 + (middle - y1) * (x2 - x1) / (y2 - y1)
                for (x1, y1), (x2, y2) in sides
                if (y1 <= middle) != (y2 <= middle)
            )
            for left, right in zip(cuts[::2], cuts[1::2]):
                self.row(y, left, right, number)

    def stroke(self, points, width, colour):
        for (x1, y1), (x2, y2) in zip(points, points[1:]):
            length = max(1.0, ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5)
            dx, dy = (y2 - y1) / length * width / 2, (x1 - x2) / length * width / 2
            self.shape([(x1 + dx, y1 + dy), (x2 + dx, y2 + dy), (x2 - dx, y2 - dy), (x1 - dx, y1 - dy)], colour)
            self.oval(x2, y2, width / 2, width / 2, colour)

    def png(self):
        """Four bits a point: at most 16 colours."""
        assert len(self.colours) <= 16, self.colours
        rows = b"".join(
            b"\0" + bytes(high << 4 | low for high, low in zip(row[::2], row[1::2])) for row in self.points
        )
        palette = b"".join(bytes.fromhex(colour) for colour in self.colours)
        head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 4, 3, 0, 0, 0)
        parts = [(b"IHDR", head), (b"PLTE", palette), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
        chunks = (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
        )
        return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def bands(picture, top, bottom, colours):
    """A sky or a sea in even bands."""
    step = (bottom - top) / len(colours)
    for at, colour in enumerate(colours):
        picture.box(0, top + at * step, WIDTH, top + (at + 1) * step, colour)


def house(picture, x, y, width, height, wall, roof, window):
    picture.box(x, y - height, x + width, y, wall)
    picture.shape([(x - 6, y - height), (x + width / 2, y - height - width * 0.45), (x + width + 6, y - height)], roof)
    picture.box(x + width * 0.4, y - height * 0.6, x + width * 0.6, y - height * 0.3, window)


def every_last_spoon():
    """An island with the chimney of a paper mill, and a row of spoons above it."""
    picture = Picture("f3ead8")
    bands(picture, 0, 230, ["f3ead8", "efe1c6", "e9d5b0"])
    bands(picture, 230, HEIGHT, ["7fa3a6", "6b9094", "587c81"])
    picture.oval(320, 250, 250, 60, "5d6b4a")
    picture.box(0, 252, WIDTH, 316, "6b9094")
    picture.shape([(110, 254), (200, 205), (300, 222), (420, 188), (540, 254)], "4c5a3d")
    house(picture, 330, 214, 80, 46, "d9c7a3", "8a4b38", "3b3a36")
    picture.box(416, 128, 436, 206, "8a4b38")
    for x, y, size in [(432, 124, 8), (446, 116, 11), (464, 110, 15)]:
        picture.oval(x, y, size, size * 0.7, "fbf6ea")
    house(picture, 228, 222, 42, 28, "d9c7a3", "6d5b45", "3b3a36")
    picture.stroke([(40, 36), (600, 36)], 5, "6d5b45")
    for x in range(80, 600, 40):
        picture.stroke([(x, 38), (x, 82)], 5, "8d9298")
        picture.oval(x, 96, 9, 15, "8d9298")
        picture.oval(x - 1, 96, 5, 10, "b9bec3")
    return picture


def her_worship():
    """A white goose with a chain of office, on a bridge."""
    picture = Picture("cfe3ea")
    bands(picture, 0, 240, ["bcd9e4", "cfe3ea", "e3eef0"])
    picture.shape([(0, 240), (120, 196), (260, 224), (430, 190), (640, 232), (640, 260), (0, 260)], "8fae83")
    bands(picture, 250, HEIGHT, ["6c9aa8", "5d8a99"])
    picture.box(0, 246, WIDTH, 286, "b3a58f")
    for x in (90, 320, 550):
        picture.oval(x, 330, 86, 62, "8d806c")
        picture.oval(x, 340, 70, 60, "4d7685")
    picture.box(0, 240, WIDTH, 250, "8d806c")
    picture.oval(310, 190, 98, 56, "fdfdfb")
    picture.shape([(230, 176), (180, 138), (206, 196)], "fdfdfb")
    picture.stroke([(372, 176), (392, 130), (388, 92)], 34, "fdfdfb")
    picture.oval(392, 84, 26, 22, "fdfdfb")
    picture.shape([(412, 76), (450, 88), (412, 98)], "e08a2c")
    picture.oval(398, 78, 4, 4, "2d2b29")
    picture.oval(300, 186, 62, 32, "e6e6e0")
    for x in (290, 330):
        picture.stroke([(x, 238), (x, 250), (x + 16, 252)], 7, "e08a2c")
    for x, y in [(358, 160), (364, 174), (374, 186), (387, 190), (400, 184), (408, 172)]:
        picture.oval(x, y, 6, 6, "c99b2e")
    picture.oval(386, 206, 14, 14, "c99b2e")
    picture.oval(386, 206, 8, 8, "a32a24")
    return picture


def last_reading():
    """A white weather screen on a moor in the evening, and a thin mast behind it."""
    picture = Picture("31405c")
    bands(picture, 0, 236, ["31405c", "4a5374", "7a6a86", "b58487", "dfa981"])
    picture.oval(500, 222, 36, 36, "f3d59a")
    picture.shape([(0, 240), (150, 200), (330, 232), (470, 214), (640, 238), (640, 360), (0, 360)], "4b4a45")
    picture.shape([(0, 290), (200, 256), (420, 288), (640, 262), (640, 360), (0, 360)], "38372f")
    picture.stroke([(560, 60), (560, 226)], 4, "2a2a30")
    for top in (80, 116):
        picture.stroke([(536, top + 22), (560, top), (584, top + 22)], 2, "2a2a30")
    picture.oval(560, 58, 4, 4, "d0473c")
    for x in (232, 306):
        picture.stroke([(x, 250), (x, 318)], 8, "cfc8b8")
    picture.box(214, 166, 326, 254, "f1ece0")
    picture.shape([(204, 168), (270, 146), (336, 168)], "f1ece0")
    for y in range(180, 250, 14):
        picture.box(222, y, 318, y + 5, "cfc8b8")
    picture.stroke([(268, 170), (268, 254)], 3, "b3ab98")
    house(picture, 60, 268, 88, 44, "5a574e", "2a2a30", "f3c46a")
    return picture


def little_saltby():
    """A model village at night, and a large hand that moves a small figure."""
    picture = Picture("1d2740")
    bands(picture, 0, 260, ["1d2740", "243050", "2c3a5e"])
    picture.oval(110, 70, 32, 32, "f0e6c8")
    picture.oval(124, 62, 28, 28, "1d2740")
    for x, y in [(200, 40), (280, 84), (360, 34), (590, 96), (52, 140), (240, 120)]:
        picture.oval(x, y, 2, 2, "f0e6c8")
    picture.box(0, 256, WIDTH, HEIGHT, "3a4a43")
    picture.shape([(0, 300), (640, 280), (640, 308), (0, 330)], "6a6a5c")
    for x, width, height in [(30, 70, 54), (122, 58, 70), (250, 76, 50), (352, 56, 64), (520, 84, 58)]:
        house(picture, x, 268, width, height, "87735f", "4b3a3f", "f3c46a")
    picture.box(198, 150, 232, 268, "9a8a72")
    picture.shape([(190, 152), (215, 100), (240, 152)], "4b3a3f")
    picture.oval(215, 172, 8, 10, "c99b2e")
    picture.box(440, 262, 462, 300, "a32a24")
    picture.oval(451, 252, 10, 11, "d9b394")
    picture.shape([(640, 60), (640, 190), (560, 210), (520, 190), (560, 110)], "d9b394")
    picture.stroke([(560, 150), (500, 196), (470, 244)], 24, "d9b394")
    picture.stroke([(566, 190), (508, 224), (472, 262)], 20, "c79f80")
    return picture


def harbour():
    """Three boats in a small harbour, under a low moon."""
    picture = Picture("26384a")
    bands(picture, 0, 210, ["26384a", "33495c", "4a6172"])
    picture.oval(450, 150, 44, 44, "f0e6c8")
    bands(picture, 210, HEIGHT, ["2d4453", "263b49", "20323f"])
    for y, half in [(222, 40), (236, 30), (252, 46), (270, 24), (292, 36)]:
        picture.box(450 - half, y, 450 + half, y + 4, "d8cfae")
    picture.shape([(0, 214), (0, 170), (70, 150), (190, 190), (240, 214)], "1b2a35")
    for x, y, size in [(140, 270, 1.0), (300, 244, 0.75), (520, 292, 1.2)]:
        picture.shape([(x - 60 * size, y), (x + 60 * size, y), (x + 42 * size, y + 22 * size), (x - 44 * size, y + 22 * size)], "8a4b38")
        picture.stroke([(x, y), (x, y - 96 * size)], 4, "12202a")
        picture.shape([(x + 5, y - 90 * size), (x + 5, y - 10 * size), (x + 48 * size, y - 10 * size)], "c8bfa6")
    return picture


PICTURES = {
    "campaigns/every-last-spoon/art/cover.png": every_last_spoon,
    "campaigns/her-worship/art/cover.png": her_worship,
    "campaigns/last-reading/art/cover.png": last_reading,
    "campaigns/little-saltby/art/cover.png": little_saltby,
    "src/campaign/template/full/art/harbour.png": harbour,
}


for name, draw in PICTURES.items():
    path, png = ROOT / name, draw().png()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png)
    print(f"{name}: {len(png)} bytes")
