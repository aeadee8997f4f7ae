#include "ardea/report/style.h"

namespace ardea::report {

std::string_view style() {
  return R"(:root {
  --paper: #fdfdfb; --ink: #1c2126; --quiet: #5b656e; --faint: #d9dde0; --wash: #f2f3f1; --accent: #0b6e99;
  --bad: #b3432b; --all: #c9ced2; --grid: #e7e9ea;
  --s0: #0b6e99; --s1: #c2571a; --s2: #3d7d3a; --s3: #8a4fa3; --s4: #a08413; --s5: #b03a5b;
  --keyword: #0b5c82; --string: #79591a; --number: #8a3b12; --remark: #5d666d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15181b; --ink: #e4e6e7; --quiet: #9aa4ac; --faint: #363c41; --wash: #1d2125; --accent: #5fb6dd;
    --bad: #e58a72; --all: #4a5157; --grid: #272c30;
    --s0: #5fb6dd; --s1: #ef9a63; --s2: #86c382; --s3: #c595dc; --s4: #d6bb53; --s5: #e985a2;
    --keyword: #7cc4e6; --string: #d8b56c; --number: #eda37f; --remark: #89939a;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5; font-size: 16px;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums;
}
main { max-width: 70rem; margin: 0 auto; padding: 3rem 1.5rem 6rem; }
h1 { font-size: 2rem; line-height: 1.15; letter-spacing: -0.02em; margin: 0 0 .25rem; }
h2 { font-size: 1.5rem; line-height: 1.2; letter-spacing: -0.01em; margin: 0; overflow-wrap: anywhere; }
h3 { font-size: 1.05rem; margin: 2.75rem 0 .75rem; }
h4 { font-size: .85rem; margin: 0 0 .4rem; color: var(--quiet); font-weight: 600; }
small { font-size: .8rem; color: var(--quiet); font-weight: 400; }
header p, .about { color: var(--quiet); margin: 0; overflow-wrap: anywhere; }
p { max-width: 46rem; }
a { color: var(--accent); text-underline-offset: .15em; }
.warning { color: var(--bad); }
.task { margin-top: 4.5rem; padding-top: 2rem; border-top: 2px solid var(--ink); }
table { border-collapse: collapse; }
.summary { width: 100%; margin-top: 2.25rem; font-size: .9rem; }
.summary th, .summary td { padding: .5rem .9rem .5rem 0; text-align: right; vertical-align: baseline; }
.summary th:first-child { text-align: left; }
.summary th:last-child, .summary td:last-child { padding-right: 0; }
.summary thead th { color: var(--quiet); font-weight: 500; border-bottom: 1px solid var(--ink); }
.summary tbody tr + tr > * { border-top: 1px solid var(--faint); }
.summary tbody th { font-weight: 600; }
.summary tbody th small { display: block; }
.headline { display: flex; flex-wrap: wrap; gap: 1.25rem 3rem; margin: 1.5rem 0 0; }
.headline dt { font-size: .8rem; color: var(--quiet); }
.headline dd { margin: 0; font-size: 1.6rem; line-height: 1.25; letter-spacing: -0.01em; }
.headline small { display: block; font-size: .8rem; letter-spacing: 0; }
figure { margin: 0; }
figcaption { color: var(--quiet); font-size: .85rem; max-width: 46rem; margin-top: .5rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1.5rem; }
.pair > * { min-width: 0; }
.plot { width: 100%; max-width: 38rem; height: auto; display: block; }
.predictions .plot { max-width: 28rem; }
svg text { fill: var(--quiet); font-size: 11px; font-family: inherit; }
svg .label { font-size: 12px; fill: var(--ink); }
svg .grid { stroke: var(--grid); }
svg .axis { stroke: var(--ink); }
svg .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
svg .level { fill: none; stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 5 4; }
svg .peak { stroke-dasharray: 1 3; }
svg circle.dot { fill-opacity: .75; }
svg circle.tried { fill-opacity: .3; }
svg .s0 { stroke: var(--s0); } svg circle.s0 { fill: var(--s0); stroke: none; }
svg .s1 { stroke: var(--s1); } svg circle.s1 { fill: var(--s1); stroke: none; }
svg .s2 { stroke: var(--s2); } svg circle.s2 { fill: var(--s2); stroke: none; }
svg .s3 { stroke: var(--s3); } svg circle.s3 { fill: var(--s3); stroke: none; }
svg .s4 { stroke: var(--s4); } svg circle.s4 { fill: var(--s4); stroke: none; }
svg .s5 { stroke: var(--s5); } svg circle.s5 { fill: var(--s5); stroke: none; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 0 0 .5rem; padding: 0; font-size: .85rem; }
.legend li::before { content: ""; display: inline-block; width: 1.1rem; height: .2rem; border-radius: 1px; margin-right: .5rem; vertical-align: middle; background: currentColor; }
.legend .s0::before { background: var(--s0); } .legend .s1::before { background: var(--s1); }
.legend .s2::before { background: var(--s2); } .legend .s3::before { background: var(--s3); }
.legend .s4::before { background: var(--s4); } .legend .s5::before { background: var(--s5); }
.bars { width: 100%; max-width: 46rem; font-size: .9rem; }
.bars th { text-align: left; min-width: 6.5rem; font-weight: 500; padding: .25rem 1rem .25rem 0; max-width: 22rem; overflow-wrap: anywhere; }
.bars td { padding: .25rem 0; white-space: nowrap; color: var(--quiet); }
.long .bars { max-width: 62rem; }
.long .bars th { max-width: none; width: 50%; font-weight: 500; }
.long .bars .bar { width: 22%; }
.bars .bar { width: 45%; padding-right: 1rem; }
.bars .bar span { display: block; height: .85rem; min-width: 1px; background: var(--all); border-radius: 1px; }
.bars .good .bar span { background: var(--accent); }
.bars .good th { font-weight: 650; }
.bars .bad .bar span { background: var(--bad); }
.knobs { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: 1.25rem 2rem; margin-top: 1rem; }
.knob { width: 100%; height: auto; display: block; }
svg .all { fill: var(--all); } svg .top { fill: var(--accent); }
svg .knobname { fill: var(--ink); font-size: 12px; font-weight: 600; }
svg .won { fill: var(--ink); font-weight: 700; }
pre {
  margin: 0; padding: .9rem 1rem; background: var(--wash); border-radius: 3px; overflow: auto; max-height: 34rem;
  font: 12.5px/1.5 ui-monospace, SFMono-Regular, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; tab-size: 4;
}
pre i { font-style: normal; }
pre .k { color: var(--keyword); } pre .s { color: var(--string); } pre .n { color: var(--number); } pre .c { color: var(--remark); }
details { margin-top: 1.25rem; }
summary { cursor: pointer; color: var(--accent); margin-bottom: .5rem; }
q { overflow-wrap: anywhere; }
@media (max-width: 44rem) {
  .summary { display: block; overflow-x: auto; }
  .bars td:last-child { white-space: normal; }
}
@media print {
  :root {
    --paper: #fff; --ink: #000; --quiet: #444; --faint: #bbb; --wash: #fff; --accent: #0b6e99; --bad: #b3432b; --all: #ccc;
    --grid: #ddd; --s0: #0b6e99; --s1: #c2571a; --s2: #3d7d3a; --s3: #8a4fa3; --s4: #a08413; --s5: #b03a5b;
    --keyword: #0b5c82; --string: #79591a; --number: #8a3b12; --remark: #555;
  }
  body { font-size: 10pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  .task { break-before: page; margin-top: 0; padding-top: 1rem; }
  figure, .listing h4, tr { break-inside: avoid; }
  h3 { break-after: avoid; }
  pre { max-height: none; white-space: pre-wrap; border: 1px solid var(--faint); font-size: 8pt; }
  a { color: inherit; text-decoration: none; }
}
)";
}

}  // namespace ardea::report
