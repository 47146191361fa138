import type { parseSync } from "oxc-parser";
import {
  type Expr,
  type FunctionExpr,
  type Import,
  NOTHING,
  type Param,
  type Pattern,
  type Source,
  type Stmt,
} from "./tree.ts";

/** A node of the parser's tree (ESTree with TypeScript); its members depend on `type`. */
interface Node {
  readonly type: string;
  readonly start: number;
  // biome-ignore lint/suspicious/noExplicitAny: two hundred node types, read by the names that the tree's standard gives.
  readonly [member: string]: any;
}

/** How deep statements and expressions are followed; what is nested deeper says nothing here. */
const DEEPEST = 300;

/** Reads a TypeScript or JavaScript file; undefined where it does not parse. */
export function readJavaScript(parse: typeof parseSync, file: string, text: string): Source | undefined {
  const { program, errors } = parse(file, text);
  if (errors.some((error) => error.severity === "Error")) return undefined;
  const lines = lineStarts(text);
  const lower = new Lower((at) => lineAt(lines, at));
  const body = lower.all(program.body as unknown as Node[]);
  return { file, language: "typescript", imports: lower.imports, body };
}

class Lower {
  readonly imports: Import[] = [];
  readonly #line: (at: number) => number;
  #depth = 0;

  constructor(line: (at: number) => number) {
    this.#line = line;
  }

  all(nodes: readonly (Node | null)[] | undefined): Stmt[] {
    return (nodes ?? []).flatMap((node) => (node ? this.stmt(node) : []));
  }

  stmt(node: Node): Stmt[] {
    if (this.#depth > DEEPEST) return [];
    this.#depth++;
    const read = this.#stmt(node);
    this.#depth--;
    return read;
  }

  #stmt(node: Node): Stmt[] {
    switch (node.type) {
      case "ImportDeclaration":
        for (const each of node.specifiers ?? []) {
          const name = each.imported?.name ?? (each.type === "ImportDefaultSpecifier" ? "default" : "*");
          this.imports.push({ local: each.local.name, name, from: node.source.value });
        }
        return [];
      case "ExportNamedDeclaration":
        return node.declaration ? this.stmt(node.declaration) : [];
      case "ExportDefaultDeclaration":
        if (/Declaration$/.test(node.declaration.type)) return this.stmt(node.declaration);
        return [{ t: "set", target: { t: "bind", name: "default" }, value: this.expr(node.declaration) }];
      case "VariableDeclaration":
        return node.declarations.flatMap((each: Node) => this.#declared(each));
      case "FunctionDeclaration":
        return node.id ? [this.#named(node.id.name, node)] : [];
      case "ClassDeclaration":
        return [{ t: "class", name: node.id?.name ?? "class", body: this.#members(node) }];
      case "ExpressionStatement":
        return [this.#doing(node.expression)];
      case "ReturnStatement":
        return [{ t: "return", value: node.argument ? this.expr(node.argument) : undefined }];
      case "ThrowStatement":
        return [{ t: "do", value: { t: "other", parts: [this.expr(node.argument)] } }];
      case "IfStatement":
        return [
          { t: "do", value: this.expr(node.test) },
          { t: "block", body: [...this.stmt(node.consequent), ...(node.alternate ? this.stmt(node.alternate) : [])] },
        ];
      case "BlockStatement":
        return [{ t: "block", body: this.all(node.body) }];
      case "TryStatement": {
        const parts = [node.block, node.handler?.body, node.finalizer];
        return [{ t: "block", body: this.all(parts) }];
      }
      case "ForOfStatement": {
        const left = node.left.type === "VariableDeclaration" ? node.left.declarations[0].id : node.left;
        return [{ t: "each", target: this.pattern(left), of: this.expr(node.right), body: this.stmt(node.body) }];
      }
      case "ForStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "ForInStatement": {
        const tests = [node.test, node.update, node.right].filter(Boolean).map((each) => this.expr(each));
        const first = node.init?.type === "VariableDeclaration" ? this.stmt(node.init) : [];
        const doing: Stmt[] = tests.map((value) => ({ t: "do", value }));
        return [{ t: "block", body: [...first, ...doing, ...this.stmt(node.body)] }];
      }
      case "SwitchStatement": {
        const cases = node.cases.filter((each: Node) => each.test).map((each: Node) => this.expr(each.test));
        const body = node.cases.flatMap((each: Node) => this.all(each.consequent));
        return [{ t: "switch", of: this.expr(node.discriminant), cases, body }];
      }
      case "LabeledStatement":
        return this.stmt(node.body);
      default:
        return [];
    }
  }

  #doing(node: Node): Stmt {
    if (node.type === "AssignmentExpression" && node.operator === "=")
      return { t: "set", target: this.pattern(node.left), value: this.expr(node.right) };
    return { t: "do", value: this.expr(node) };
  }

  #declared(each: Node): Stmt[] {
    if (!each.init) return [];
    const value = this.expr(each.init);
    if (value.t === "function" && each.id.type === "Identifier") {
      const line = this.#line(each.start);
      return [{ t: "function", name: each.id.name, fn: value, decorators: [], line }];
    }
    return [{ t: "set", target: this.pattern(each.id), value }];
  }

  #named(name: string, node: Node): Stmt {
    return { t: "function", name, fn: this.#function(node), decorators: [], line: this.#line(node.start) };
  }

  #members(node: Node): Stmt[] {
    return (node.body.body as Node[]).flatMap((member): Stmt[] => {
      const name = member.key?.name ?? member.key?.value;
      if (name === undefined || !member.value) return [];
      if (member.type === "MethodDefinition") return [this.#named(String(name), member.value)];
      if (member.type !== "PropertyDefinition") return [];
      const value = this.expr(member.value);
      if (value.t === "function")
        return [{ t: "function", name: String(name), fn: value, decorators: [], line: this.#line(member.start) }];
      return [{ t: "set", target: { t: "bind", name: String(name) }, value }];
    });
  }

  #function(node: Node): FunctionExpr {
    const params: Param[] = (node.params ?? []).map((param: Node): Param => {
      const inner = param.type === "TSParameterProperty" ? param.parameter : param;
      const bound = inner.type === "AssignmentPattern" ? inner.left : inner;
      const fallback = inner.type === "AssignmentPattern" ? this.expr(inner.right) : undefined;
      return { pattern: this.pattern(bound), ...(fallback === undefined ? {} : { fallback }) };
    });
    const { body } = node;
    if (!body) return { t: "function", params, body: [] };
    const made: Stmt[] =
      body.type === "BlockStatement" || body.type === "FunctionBody"
        ? this.all(body.body ?? body.statements)
        : [{ t: "return", value: this.expr(body) }];
    return { t: "function", params, body: made };
  }

  pattern(node: Node | null): Pattern {
    switch (node?.type) {
      case "Identifier":
        return { t: "bind", name: node.name };
      case "MemberExpression":
        return node.object.type === "ThisExpression" && node.property.name
          ? { t: "bind", name: node.property.name }
          : { t: "ignore" };
      case "AssignmentPattern":
        return this.pattern(node.left);
      case "ObjectPattern":
        return {
          t: "keys",
          keys: (node.properties as Node[]).flatMap((each) => {
            const key = each.key?.name ?? each.key?.value;
            return key === undefined || each.computed ? [] : [[String(key), this.pattern(each.value)] as const];
          }),
        };
      case "ArrayPattern":
        return { t: "items", items: node.elements.map((each: Node | null) => this.pattern(each)) };
      default:
        return { t: "ignore" };
    }
  }

  expr(node: Node): Expr {
    if (this.#depth > DEEPEST) return NOTHING;
    this.#depth++;
    const read = this.#expr(node);
    this.#depth--;
    return read;
  }

  #expr(node: Node): Expr {
    switch (node.type) {
      case "Literal":
        if (typeof node.value === "string") return { t: "text", value: node.value };
        if (node.value === null || typeof node.value === "number" || typeof node.value === "boolean")
          return { t: "value", value: node.value };
        return NOTHING;
      case "TemplateLiteral": {
        const parts: (string | Expr)[] = [];
        for (const [index, quasi] of node.quasis.entries()) {
          parts.push(quasi.value.cooked ?? "");
          const inner = node.expressions[index];
          if (inner) parts.push(this.expr(inner));
        }
        return parts.length === 1 ? { t: "text", value: parts[0] as string } : { t: "template", parts };
      }
      case "Identifier":
        return { t: "name", name: node.name };
      case "ThisExpression":
        return { t: "name", name: "this" };
      case "MemberExpression":
        if (!node.computed) return { t: "member", of: this.expr(node.object), name: node.property.name };
        if (node.property.type === "Literal" && typeof node.property.value === "string")
          return { t: "member", of: this.expr(node.object), name: node.property.value };
        return { t: "item", of: this.expr(node.object), by: this.expr(node.property) };
      case "CallExpression":
      case "NewExpression":
        return {
          t: "call",
          callee: this.expr(node.callee),
          args: (node.arguments as Node[]).map((each) => this.expr(each)),
          named: [],
          line: this.#line(node.start),
        };
      case "ObjectExpression":
        return this.#object(node);
      case "ArrayExpression":
        return {
          t: "list",
          items: (node.elements as (Node | null)[]).map((each) => (each ? this.expr(each) : NOTHING)),
        };
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return this.#function(node);
      case "BinaryExpression":
        return this.#binary(node);
      case "LogicalExpression":
        return node.operator === "&&"
          ? { t: "either", test: this.expr(node.left), options: [this.expr(node.right)] }
          : { t: "either", options: [this.expr(node.left), this.expr(node.right)] };
      case "ConditionalExpression":
        return {
          t: "either",
          test: this.expr(node.test),
          options: [this.expr(node.consequent), this.expr(node.alternate)],
        };
      case "ChainExpression":
      case "ParenthesizedExpression":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
      case "TSTypeAssertion":
      case "TSInstantiationExpression":
        return this.expr(node.expression);
      case "AwaitExpression":
      case "SpreadElement":
        return this.expr(node.argument);
      case "AssignmentExpression":
      case "UnaryExpression":
      case "UpdateExpression":
      case "SequenceExpression":
      case "YieldExpression":
      case "TaggedTemplateExpression": {
        const parts = [node.right, node.argument, node.quasi, ...(node.expressions ?? [])].filter(Boolean);
        return { t: "other", parts: parts.map((each: Node) => this.expr(each)) };
      }
      default:
        return NOTHING;
    }
  }

  #object(node: Node): Expr {
    const entries: [string, Expr][] = [];
    const spreads: Expr[] = [];
    for (const each of node.properties as Node[]) {
      if (each.type === "SpreadElement") spreads.push(this.expr(each.argument));
      else if (!each.computed) entries.push([String(each.key.name ?? each.key.value), this.expr(each.value)]);
      else spreads.push(this.expr(each.value));
    }
    return { t: "object", entries, spreads, line: this.#line(node.start) };
  }

  #binary(node: Node): Expr {
    const left = this.expr(node.left);
    const right = this.expr(node.right);
    if (/^[!=]==?$/.test(node.operator)) return { t: "equal", left, right };
    if (node.operator === "+") return { t: "template", parts: [left, right] };
    return { t: "other", parts: [left, right] };
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= at) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}
