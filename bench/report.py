#!/usr/bin/env python3
"""report.py RESULTS.json: writes the answer of `ardea bench --set … --json` as a table (.md) and a plot (.svg) beside it.

Needs nothing but Python's own library.
"""
import datetime
import html
import json
import math
import pathlib
import sys

COLOURS = {"openblas": "#1b6ca8", "blis": "#d1495b", "eigen": "#66a182", "onednn": "#edae49", "im2col": "#8d6a9f",
           "openblas_current": "#0d3b66", "mkl": "#2e4057", "onednn_current": "#b5651d", "cloop": "#888888", "copy": "#bbbbbb"}


def libraries_of(results):
    """The names of all peers that took part somewhere, in order of appearance."""
    names = []
    for result in results:
        for contender in result["contenders"]:
            if contender["name"] != "ardea" and contender["name"] not in names:
                names.append(contender["name"])
    return names


def title(result):
    return f'{result["op"]} {",".join(map(str, result["sizes"]))}'


def time_text(us):
    for unit, scale in (("s", 1e6), ("ms", 1e3)):
        if us >= scale:
            return f"{us / scale:.3g} {unit}"
    return f"{us:.3g} µs"


def table(answer):
    results, names = answer["results"], libraries_of(answer["results"])
    lines = [
        f'# {answer["set"]}',
        "",
        f'{answer["cpu"]}, {answer["cores"]} cores, {answer["threads"]} thread'
        f'{"s" if answer["threads"] != 1 else ""}, {datetime.date.today().isoformat()}. Median times, warm caches, contenders in rotated order; '
        "ratio: the best library's time over Ardea's, median of the rounds with its 95 % interval "
        "(docs/benchmarks.md).",
        "",
        "| work | ardea | " + " | ".join(names) + " | best | ratio | 95 % | of peak |",
        "| --- |" + " ---: |" * (len(names) + 1) + " --- | ---: | --- | ---: |",
    ]
    for r in results:
        cells = [title(r), time_text(r["ardea_us"]) + ("" if r["agrees"] else " WRONG")]
        cells += [time_text(r[name + "_us"]) if name + "_us" in r else "" for name in names]
        cells += [r["best"], f'{r["ratio_vs_best"]:.2f}', f'{r["ratio_low"]:.2f}–{r["ratio_high"]:.2f}'] if "best" in r \
            else ["", "", ""]
        cells.append(f'{100 * r["peak_share"]:.0f} %' if "peak_share" in r else "")
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", f'Geometric mean of the ratios {answer["geometric_mean"]:.3f}, worst {answer["worst"]:.3f}.', ""]
    libraries = []
    for r in results:
        libraries += [text for text in r["libraries"] if text not in libraries]
    return "\n".join(lines + [f"- {text}" for text in libraries]) + "\n"


def plot(answer):
    """A row for each work; a dot for each contender at its time over Ardea's, on a logarithmic axis."""
    results, names = answer["results"], libraries_of(answer["results"])
    left, width, row, top = 250, 560, 20, 60
    height = top + row * len(results) + 30
    ratios = [c["ratio"] for r in results for c in r["contenders"]]
    low = min(-1, math.floor(math.log2(min(ratios))))
    high = max(1, math.ceil(math.log2(max(ratios))))

    def x_of(ratio):
        return left + width * (math.log2(ratio) - low) / (high - low)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 40}" height="{height}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="100%" height="100%" fill="white"/><text x="10" y="20" font-size="14">{html.escape(answer["set"])}: '
             "time over Ardea's (right of 1: Ardea is faster)</text>"]
    for i, name in enumerate(names):
        x = 10 + 100 * i
        parts.append(f'<circle cx="{x + 5}" cy="38" r="4" fill="{COLOURS.get(name, "#000000")}"/>'
                     f'<text x="{x + 14}" y="42">{html.escape(name)}</text>')
    for power in range(low, high + 1):
        x = x_of(2.0 ** power)
        parts.append(f'<line x1="{x:.1f}" y1="{top - 8}" x2="{x:.1f}" y2="{height - 25}" '
                     f'stroke="{"#000000" if power == 0 else "#dddddd"}"/>'
                     f'<text x="{x:.1f}" y="{height - 8}" text-anchor="middle">{2.0 ** power:g}</text>')
    for i, r in enumerate(results):
        y = top + row * i + 6
        parts.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{html.escape(title(r))}</text>')
        for c in r["contenders"]:
            if c["name"] == "ardea":
                continue
            colour = COLOURS.get(c["name"], "#000000")
            parts.append(f'<line x1="{x_of(c["ratio_low"]):.1f}" y1="{y}" x2="{x_of(c["ratio_high"]):.1f}" y2="{y}" stroke="{colour}"/>'
                         f'<circle cx="{x_of(c["ratio"]):.1f}" cy="{y}" r="4" fill="{colour}" fill-opacity="0.8">'
                         f'<title>{html.escape(c["name"])} {html.escape(c["label"])}: {c["ratio"]:.3f}</title></circle>')
    return "\n".join(parts) + "\n</svg>\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = pathlib.Path(sys.argv[1])
    answer = json.loads(path.read_text())
    failed = [r for r in answer["results"] if "error" in r]
    answer["results"] = [r for r in answer["results"] if "error" not in r]
    for r in failed:
        print(f'{r["workload"]}: {r["error"]}', file=sys.stderr)
    path.with_suffix(".md").write_text(table(answer))
    path.with_suffix(".svg").write_text(plot(answer))
    print(table(answer), end="")
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
