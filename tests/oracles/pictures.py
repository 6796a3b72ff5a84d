"""Whether a picture can be read."""

from itertools import combinations


def texts_of(ax):
    legend = ax.get_legend()
    found = [ax.xaxis.label, ax.yaxis.label, *(legend.get_texts() if legend else ())]
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=False)
        found += [text for place, text in ticks if low <= place <= high]
    return [text for text in found if text.get_text() and text.get_visible()]


def check_picture(figure):
    """Check that text is inside and apart, axes are wide, and the legend is clear."""
    figure.canvas.draw()
    texts = []
    for ax in figure.axes:
        n_columns = ax.get_subplotspec().get_gridspec().ncols
        assert ax.get_position().width > 0.4 / n_columns
        assert ax.get_position().height > 0.4
        texts += texts_of(ax)
        legend = ax.get_legend()
        if legend is None:
            continue
        box = legend.get_window_extent().padded(-1)
        for line in ax.lines:
            path = line.get_transform().transform_path(line.get_path())
            assert not len(path) or not path.intersects_bbox(box, filled=False)
        for bars in ax.collections:
            for path in bars.get_paths():
                path = bars.get_transform().transform_path(path)
                assert not path.intersects_bbox(box, filled=True)
        assert ax.bbox.padded(1).contains(*box.min) and ax.bbox.contains(*box.max)
    for text in texts:
        box = text.get_window_extent()
        assert figure.bbox.padded(1).contains(*box.min)
        assert figure.bbox.padded(1).contains(*box.max)
    level = [
        text.get_window_extent() for text in texts if text.get_rotation() in (0, 90)
    ]
    for one, other in combinations(level, 2):
        assert not one.padded(-1).overlaps(other.padded(-1))
