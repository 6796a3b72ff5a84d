"""Reading learning-to-rank files."""

import bz2
import gzip
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.datasets import load_svmlight_file

from oracles.places import SHARED_DATA
from sklearn_irmetrics.datasets import load_letor

TEXT = """\
# a line of its own
2 qid:7 1:0.5 3:1 # docid = GX000-00-0 inc = 1
0.5 qid:7 2:-2e-1

0\tqid:3\t1:1 2:2 3:3 #b
"""
DATA = [[0.5, 0, 1], [0, -0.2, 0], [1, 2, 3]]


@pytest.fixture
def write(tmp_path):
    def write(text, name="train.txt", compress=lambda data: data):
        path = tmp_path / name
        path.write_bytes(compress(text.encode()))
        return path

    return write


@pytest.mark.parametrize(
    ("name", "compress"),
    [("a.txt", bytes), ("a.txt.gz", gzip.compress), ("a.bz2", bz2.compress)],
)
@pytest.mark.parametrize("as_type", [str, Path])
def test_reads_every_part_of_a_line(write, name, compress, as_type):
    bunch = load_letor(as_type(write(TEXT, name, compress)))
    assert_array_equal(bunch.data, DATA)
    assert_array_equal(bunch.target, [2, 0.5, 0])
    assert_array_equal(bunch.qid, [7, 7, 3])
    assert bunch.qid.dtype == np.int64
    assert list(bunch.comments) == ["docid = GX000-00-0 inc = 1", "", "b"]


def test_sparse_and_dtype(write):
    bunch = load_letor(write(TEXT), sparse=True, dtype=np.float32)
    assert sp.issparse(bunch.data)
    assert bunch.data.format == "csr"
    assert bunch.data.dtype == np.float32
    assert bunch.data.nnz == 6
    assert_array_equal(bunch.data.toarray(), np.array(DATA, dtype=np.float32))


def test_files_that_belong_together_get_as_many_features(write):
    train = write(TEXT)
    valid = write("1 qid:1 5:1\n", "valid.txt")
    parts = load_letor([train, valid])
    assert [part.data.shape for part in parts] == [(3, 5), (1, 5)]
    assert_array_equal(parts[1].data, [[0, 0, 0, 0, 1]])
    assert_array_equal(parts[1].qid, [1])


def test_numbering_from_zero_is_decided_for_all_files(write):
    train = write("1 qid:1 1:5\n")
    valid = write("1 qid:1 0:7\n", "valid.txt")
    assert_array_equal(load_letor(train).data, [[5]])
    assert_array_equal(load_letor(train, zero_based=True).data, [[0, 5]])
    assert_array_equal(load_letor([train, valid])[0].data, [[0, 5]])


@pytest.mark.parametrize("ending", [".query", ".group"])
@pytest.mark.parametrize("name", ["rank.train", "rank.train.gz"])
def test_sizes_of_queries_beside_lines_without_ids(write, name, ending):
    write("2\n\n1\n", f"{name}{ending}")
    compress = gzip.compress if name.endswith(".gz") else bytes
    bunch = load_letor(
        write(TEXT.replace("qid:7", "").replace("qid:3", ""), name, compress)
    )
    assert_array_equal(bunch.data, DATA)
    assert_array_equal(bunch.target, [2, 0.5, 0])
    assert_array_equal(bunch.qid, [0, 0, 1])
    assert bunch.comments[2] == "b"
    assert_array_equal(load_letor(write(TEXT, name, compress)).qid, [7, 7, 3])


@pytest.mark.parametrize(
    ("sizes", "lines", "message"),
    [
        ("1\n1\n", "1 1:2\n" * 3, "query: expected .* 3 in all; got 2"),
        ("4\n-1\n", "1 1:2\n" * 3, "positive integer .*got 3, the least of them -1"),
        ("2 1\n3 4\n", "1 1:2\n" * 3, "query: expected the number of rows"),
        ("two\n1\n", "1 1:2\n" * 3, "query: could not convert string 'two'"),
        ("1\n1\n", "1 1:2\n1 qid:1 1:2\n", "train.txt: expected a qid on every line"),
    ],
)
def test_sizes_that_do_not_fit(write, sizes, lines, message):
    write(sizes, "train.txt.query")
    with pytest.raises(ValueError, match=message):
        load_letor(write(lines))


def test_n_features(write):
    path = write(TEXT)
    assert load_letor(path, n_features=6).data.shape == (3, 6)
    with pytest.raises(ValueError, match=r"train\.txt: n_features was set to 2"):
        load_letor(path, n_features=2)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 1:0.5", "no qid after the grade"),
        ("1", "no qid after the grade"),
        ("1 1:0.5 qid:3", "no qid after the grade"),
        ("1 qid:abc 1:0.5", "qid:<integer> .* invalid literal"),
        ("1 qid:1.5 1:0.5", "qid:<integer> .* invalid literal"),
        ("1 qid:1_0 1:0.5", "an underscore is not part of a number"),
        ("1 qid:9223372036854775808 1:0.5", "too (big|large) to convert"),
        ("1 qid:1 99999999999:1", "too large to convert"),
        ("good qid:1 1:0.5", "could not convert string to float"),
        ("1 qid:1 1:x", "could not convert string to float"),
        ("1 qid:1 1", "to unpack"),
        ("1 qid:1 2:1 1:1", "sorted and unique"),
        ("1_0 qid:1 1:1", "an underscore is not part of a number"),
        ("1 qid:1 1:1_0", "an underscore is not part of a number"),
        ("1 qid:1 1_0:1", "an underscore is not part of a number"),
    ],
)
def test_a_bad_line_is_named(write, line, reason):
    good = write("1 qid:1 1:0.5\n")
    bad = write(f"# head\n1 qid:1 1:0.5\n{line}\n", "bad.txt")
    with pytest.raises(ValueError, match=reason) as error:
        load_letor([good, bad])
    assert str(error.value).startswith(f"{bad}, line 3: expected '<grade> qid:")
    assert repr(f"{line}\n".encode()) in str(error.value)


def test_a_broken_archive_is_named(write):
    whole = gzip.compress(TEXT.encode())
    cut = write("", "cut.gz", lambda _: whole[:-12])
    with pytest.raises(ValueError, match=r"cut\.gz, line"):
        load_letor(cut)
    broken = write("", "broken.gz", lambda _: whole[:20] + b"\xff" * 20 + whole[20:])
    with pytest.raises(ValueError, match=r"broken\.gz, line"):
        load_letor(broken)
    other = write("", "other.bz2", lambda _: bz2.compress(whole)[:10] + whole)
    with pytest.raises(ValueError, match=r"other\.bz2, line"):
        load_letor(other)
    plain = write(TEXT, "plain.gz")
    with pytest.raises(ValueError, match=r"plain\.gz, line 0.*Not a gzipped file"):
        load_letor(plain)


def test_nothing_to_read(write, tmp_path):
    with pytest.raises(ValueError, match=r"empty\.txt: expected at least one row"):
        load_letor([write(TEXT), write("# nothing\n", "empty.txt")])
    with pytest.raises(TypeError, match="path must be a path or a list of paths"):
        load_letor([])
    with pytest.raises(FileNotFoundError, match="missing"):
        load_letor(tmp_path / "missing.txt")


@pytest.mark.skipif(not SHARED_DATA.exists(), reason=f"no data in {SHARED_DATA}")
def test_a_real_data_set_agrees_with_scikit_learn():
    paths = [SHARED_DATA / "webis_cw09_ltr" / f"Fold{i}.test.txt.gz" for i in (1, 2)]
    parts = load_letor(paths)
    for path, part in zip(paths, parts, strict=True):
        X, y, qid = load_svmlight_file(str(path), query_id=True)
        assert_array_equal(part.data, X.toarray())
        assert_array_equal(part.target, y)
        assert_array_equal(part.qid, qid)
        assert len(np.unique(qid)) == 12
        assert all(text.startswith("docid = clueweb09-") for text in part.comments)
