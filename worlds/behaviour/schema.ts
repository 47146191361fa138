import { z } from "zod";

/**
 * The JSON form of a declared behaviour, version 1: part of the public contract. Its one-line form says the same
 * (line.ts); both print and parse without loss. Expressions are CEL text over `args`, `row`, `rows(table)`, `now`
 * and the names of earlier `let` steps. A template is a string with `{expr}` holes, `{x}` standing for `args.x`
 * and `{n:7}` for a generated key of that width.
 */
const Expr = z.string().min(1).max(4000);
const Template = z.string().max(4000);
const Name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
const Path = z.string().min(1).max(300);

/** One key column and the expression that gives its value; the argument of the same name when absent. */
export const KeyPart = z.object({ column: Path, expr: Expr.optional() });
/** Sets a path of a row: to a value, by an amount, or by one element more or less. */
export const Assignment = z.object({ path: Path, op: z.enum(["=", "+=", "-=", "append", "remove"]), expr: Expr });
/** Refuses the call with the error where the expression does not hold. */
export const Guard = z.object({ expr: Expr, error: Template });
/** What of the row is answered: a path, or a path with an expression for its value. Everything when absent. */
export const View = z.array(z.object({ path: Path, expr: Expr.optional() }));

/** Repeats an effect for each element of a list: `for name in expr update …`. */
export const Each = z.object({ name: Name, in: Expr });

/** One step of a behaviour, by what it does. */
export const Step = z.discriminatedUnion("op", [
  z.object({
    op: z.literal("read"),
    table: Name,
    key: z.array(KeyPart).min(1),
    view: View.optional(),
    else: Template.optional(),
  }),
  z.object({
    op: z.literal("list"),
    table: Name,
    where: Expr.optional(),
    order_by: z.object({ path: Path, desc: z.boolean() }).optional(),
    limit: Expr.optional(),
    view: View.optional(),
  }),
  z.object({
    op: z.literal("insert"),
    each: Each.optional(),
    table: Name,
    set: z.array(Assignment),
    key: Template,
    require: z.array(Guard),
    view: View.optional(),
  }),
  z.object({
    op: z.literal("update"),
    each: Each.optional(),
    table: Name,
    key: z.array(KeyPart).min(1),
    set: z.array(Assignment).min(1),
    require: z.array(Guard),
    view: View.optional(),
    else: Template.optional(),
  }),
  z.object({
    op: z.literal("delete"),
    each: Each.optional(),
    table: Name,
    key: z.array(KeyPart).min(1),
    require: z.array(Guard),
    view: View.optional(),
    else: Template.optional(),
  }),
  z.object({ op: z.literal("let"), name: Name, expr: Expr }),
  z.object({ op: z.literal("answer"), expr: Expr }),
  z.object({ op: z.literal("say"), template: Template }),
  /** Ends the call with an error where `when` holds (always when absent), and keeps what the steps before it did. */
  z.object({ op: z.literal("refuse"), template: Template, when: Expr.optional() }),
  z.object({ op: z.literal("recorded") }),
]);
export type Step = z.infer<typeof Step>;

/** What a call of a tool does and answers, step by step. */
export const Behaviour = z.object({ v: z.literal(1), steps: z.array(Step).min(1).max(50) });
export type Behaviour = z.infer<typeof Behaviour>;
export type Assignment = z.infer<typeof Assignment>;
export type Guard = z.infer<typeof Guard>;
export type Each = z.infer<typeof Each>;
export type View = z.infer<typeof View>;
export type KeyPart = z.infer<typeof KeyPart>;
