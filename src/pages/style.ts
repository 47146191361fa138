/** The one style of every page: light and dark, a phone's width and print. Marks differ in lightness, not in hue alone. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #55606f; --line: #d4dae2; --back: #ffffff; --card: #f5f7fa; --good: #14663c; --bad: #a3211a; --warn: #7a5200; --mark: #2a57a5;
  --plot-good: #2a57a5; --plot-bad: #e08a2e; --plot-warn: #8b94a1; --plot-plain: #c9d0d9;
  --heat-0: #ffffff; --heat-1: #dbe6f6; --heat-2: #a9c3e8; --heat-3: #5f8ccb; --heat-4: #2a57a5; --heat-ink-0: #55606f; --heat-ink-1: #1c2430; --heat-ink-2: #1c2430; --heat-ink-3: #0d131b; --heat-ink-4: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf1; --soft: #aab4c1; --line: #3a4450; --back: #12161b; --card: #1b2129; --good: #6fd39b; --bad: #f59a92; --warn: #e6c274; --mark: #93b9f7;
  --plot-good: #8db4f5; --plot-bad: #d97b1f; --plot-warn: #7d8795; --plot-plain: #48525f;
  --heat-0: #12161b; --heat-1: #1d2c44; --heat-2: #2c4b7c; --heat-3: #5b8ad0; --heat-4: #a9c8fb; --heat-ink-0: #aab4c1; --heat-ink-1: #e8ecf1; --heat-ink-2: #ffffff; --heat-ink-3: #0d131b; --heat-ink-4: #0d131b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.25rem 1rem 4rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); overflow-wrap: break-word; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; }
a { color: var(--mark); } a:focus-visible, button:focus-visible, .scroll:focus-visible, summary:focus-visible, input:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
p { margin: .5rem 0; max-width: 46rem; } .soft, .tier { color: var(--soft); } .tier { font-size: .85rem; }
.verdict { font-size: 1.2rem; line-height: 1.35; font-weight: 600; border-left: 5px solid var(--mark); padding: .4rem 0 .4rem .75rem; margin: .75rem 0 .25rem; }
.verdict.is-good { border-color: var(--good); } .verdict.is-bad { border-color: var(--bad); } .verdict.is-warn { border-color: var(--warn); }
.invented { border: 2px dashed var(--warn); padding: .4rem .75rem; color: var(--warn); font-weight: 600; }
.skip { position: absolute; left: -999rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--back); padding: .25rem .5rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: 0 0 1.25rem; padding: 0 0 .5rem; border-bottom: 1px solid var(--line); } nav [aria-current] { font-weight: 600; color: var(--ink); text-decoration: none; }
.scroll { overflow-x: auto; } .scroll + .scroll { margin-top: 1.25rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } caption, figcaption { text-align: left; color: var(--soft); padding-bottom: .25rem; max-width: min(46rem, 100vw - 2rem); }
th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; } th { font-weight: 600; color: var(--soft); } .n { text-align: right; white-space: nowrap; } .w { min-width: 15rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
dl.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .75rem 1rem; margin: .75rem 0; } dl.facts div { border-top: 2px solid var(--line); padding-top: .35rem; } dl.facts dt { color: var(--soft); font-size: .9rem; } dl.facts dd { margin: 0; font-size: 1.15rem; font-weight: 600; font-variant-numeric: tabular-nums; } dl.facts dd + dd { font-size: .85rem; font-weight: 400; color: var(--soft); }
table.heat td, table.heat th { border: 1px solid var(--line); padding: .3rem .5rem; } table.heat tbody td { text-align: center; min-width: 3rem; } table.heat tbody th { max-width: 14rem; color: var(--ink); font-weight: 400; } table.heat thead th { vertical-align: bottom; } table.heat thead th span { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 10rem; } table.heat thead td { border: 0; }
.h0 { background: var(--heat-0); color: var(--heat-ink-0); } .h1 { background: var(--heat-1); color: var(--heat-ink-1); } .h2 { background: var(--heat-2); color: var(--heat-ink-2); } .h3 { background: var(--heat-3); color: var(--heat-ink-3); } .h4 { background: var(--heat-4); color: var(--heat-ink-4); } table.heat td.gap { border: 2px dashed var(--warn); color: var(--warn); font-weight: 600; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--soft); width: max-content; max-width: 100%; }
figure { margin: .75rem 0; } svg { display: block; max-width: 100%; height: auto; } svg text { font-family: system-ui, sans-serif; } .plot-narrow { display: none; }
ol.timeline { list-style: none; margin: .75rem 0; padding: 0; border-left: 2px solid var(--line); } ol.timeline > li { padding: .1rem 0 .9rem 1rem; position: relative; } ol.timeline > li::before { content: ""; position: absolute; left: -7px; top: .5rem; width: 12px; height: 12px; border-radius: 50%; background: var(--plot-plain); border: 2px solid var(--back); }
ol.timeline > li.is-good::before { background: var(--plot-good); } ol.timeline > li.is-bad::before { background: var(--plot-bad); border-radius: 0; }
.who { font-weight: 600; } .badge { display: inline-block; border: 1px solid var(--line); border-radius: .25rem; padding: 0 .35rem; font-size: .85rem; color: var(--soft); } .changes { margin: .25rem 0; padding-left: 1.1rem; font-family: ui-monospace, monospace; font-size: .85rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--card); padding: .5rem .75rem; margin: .25rem 0; font: 13px/1.45 ui-monospace, monospace; max-height: 24rem; overflow-y: auto; } code { font-family: ui-monospace, monospace; font-size: .92em; overflow-wrap: anywhere; } blockquote { margin: .5rem 0; padding-left: .75rem; border-left: 3px solid var(--line); color: var(--soft); }
form { margin: .75rem 0; } nav form, td form { margin: 0; } nav button, td button { padding: 0 .6rem; } label { display: block; margin: .5rem 0 .15rem; } input, select { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--soft); border-radius: .25rem; padding: .3rem .5rem; max-width: 100%; } button { font: inherit; padding: .35rem .9rem; border: 1px solid var(--mark); border-radius: .25rem; background: var(--mark); color: var(--back); cursor: pointer; } button.plain { background: transparent; color: var(--mark); }
footer { margin-top: 3rem; padding-top: .75rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .9rem; }
@media (max-width: 720px) { .plot-narrow { display: block; } .plot-wide { display: none; } }
@media print { body { max-width: none; padding: 0; } nav, form, .skip { display: none; } h2 { break-after: avoid; } tr, li, figure { break-inside: avoid; } pre { max-height: none; } .plot-narrow { display: none; } .plot-wide { display: block; } }
`;
