"""Who judged and who retrieved: what NaN and -inf stand for."""

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

# Where each area lies: left, bottom, width, height.
areas = [
    ((0, 0), 5.6, 4, "C0", "judged"),
    ((3.2, 1), 5.6, 4, "C1", "retrieved"),
]
notes = {
    (1.6, 2): "judged, not retrieved\ny_score = -inf\ncounts as missed",
    (4.4, 2.5): "both known\ngrade and score",
    (7.2, 3): "retrieved, not judged\ny_true = NaN\ncounts as not relevant",
}
_, ax = plt.subplots()
for corner, width, height, color, name in areas:
    ax.add_patch(Rectangle(corner, width, height, color=color, alpha=0.18))
    ax.add_patch(Rectangle(corner, width, height, color=color, fill=False, lw=1.5))
    top = corner[1] + height + 0.1
    at = corner[0] if name == "judged" else corner[0] + width
    ax.text(at, top, name, color=color, ha="left" if at == 0 else "right", va="bottom")
for (x, y), text in notes.items():
    ax.text(x, y, text, ha="center", va="center")
ax.set(xlim=(-0.2, 9), ylim=(-0.2, 5.7))
ax.set_axis_off()
