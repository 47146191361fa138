/** What a model is told of the language that programs are proposed in. */
export const LANGUAGE = `A proposal is {"v": 1, "tables": […], "tools": […]}.

TABLES hold the state. {"name": "p_lamp", "key": ["of"], "columns": ["on", "level"], "start": [{"of": "it", "on": false}]}. A name begins with p_. "start" lists the rows that EVERY session starts with; leave out a column that differs between sessions or that you cannot know: it is then unknown, and calls that rest on it are not answered until a call sets it. Values that belong to no row go into a table of one row. Only tables of yours and the tables of today's programs may be named.

TOOLS: {"name": "set_level", "lets": [{"name": "lamp", "expr": "lookup(p_lamp, \\"it\\")"}], "cases": [{"when": "!lamp.on", "steps": [{"op": "refuse", "template": "Lamp is off."}]}, {"steps": [{"op": "update", "table": "p_lamp", "key": [{"column": "of", "expr": "\\"it\\""}], "set": [{"path": "level", "op": "=", "expr": "args.level"}], "require": []}, {"op": "answer", "expr": "{\\"level\\": args.level}"}]}]}.
The first case whose "when" holds is what the call does; only the last may have no "when". Cases are judged one by one, so give what you are unsure of a case of its own. A call that you cannot explain should meet no case.

STEPS of a case, in order; the last is one answer, say, or refuse without "when":
- {"op": "let", "name", "expr"}: every name once in a tool.
- {"op": "insert", "table", "key": template, "set": [{"path", "op": "=", "expr"}], "require": []}: a new row. With several cases, "row" cannot be named after it: use lookup.
- {"op": "update", "table", "key": [{"column", "expr"}], "set": [{"path", "op", "expr"}], "require": []}: op is = += -= append remove; expressions see the row as it was as "row". {"op": "delete", "table", "key", "require": []}. Each may have "each": {"name", "in"}: once for every element of a list.
- {"op": "answer", "expr"}: the whole answer as a JSON value. {"op": "say", "template"}: a text. {"op": "refuse", "template", "when"?}: a refusal; the text is all of it, as on the wire.
In a template {expr} is a hole, {x} the argument x, {{ and }} are braces, {n:7} seven generated digits, {x:8} eight generated hexadecimal digits.

EXPRESSIONS are CEL: args.name, "text", 1.5, [..], {"k": v}, == != < <= > >= + - * / % && || ! ?: in, and
has(args.x); lookup(table, key) gives the row or null; rows(table) all rows; now (unix seconds); unknown(); not_served(); known(v): null makes the call a gap; generate("{x:8}");
size string int double bool json type round(x, n) fixed(x, n) calculate(text) timestamp(text) strftime(seconds, format);
math.abs ceil floor trunc sign round sqrt exp ln log10 (x), math.quotient modulo remainder power root log percent change (x, y), math.total mean median deviation range (list), math.converted(x, "km", "mi") in binary fractions; math.greatest least; regex.extract(t, p), regex.replace(t, p, t);
t.contains startsWith endsWith matches lower upper trim replace split substring indexOf;
list.filter(v, e) map(v, e) all exists count(v, e) sortBy(v, e) find(v, e) sum() min() max() first() last() join(t) sort() distinct() reverse() slice(a, b) flatten(); map.keys() values() get(k, v) merge(m) without(k).
Numbers are decimals: 5 / 2 is 2.5; int(x) cuts.`;
