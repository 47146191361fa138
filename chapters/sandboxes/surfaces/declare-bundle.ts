import { BaseState } from "../../../worlds/bundle.ts";
import { Declarations } from "../../../worlds/declare.ts";
import { digestOf } from "../../../worlds/digest.ts";
import { getJson, loadBundle, putJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import type { Doc } from "../../record.ts";
import type { BundleRecord } from "../../records/sandboxes/sandboxes.ts";
import { compiledBefore, storeBundle } from "./compile-bundle.ts";
import { withDeclaredTools } from "./declared-tools.ts";

type BundleDoc = Doc<typeof BundleRecord>;

/** Whether anything is declared. */
export function declaresAnything(declared: Declarations): boolean {
  return Object.values(declared).some((list) => list !== undefined && Object.keys(list).length > 0);
}

/** A bundle with declarations of a person over it, on the same rows; deterministic. A 400 names every wrong word. */
export async function declareBundle(ctx: Ctx, over: BundleDoc, declared: Declarations): Promise<BundleDoc> {
  const { bundle: compiled } = await loadBundle(ctx, over.id);
  const { bundle, changes } = withDeclaredTools(compiled, declared);
  const inputs = digestOf([over.inputs, declared]);
  const known = await compiledBefore(ctx, over.surface, inputs);
  if (known && known.base_blob === over.base_blob && known.digest === digestOf(bundle)) return known;
  const base = BaseState.parse(await getJson(ctx, over.base_blob));
  const { tools_added, tools_redeclared, tools_removed, descriptions_changed, schemas_changed } = changes;
  return storeBundle(ctx, bundle, base, {
    surface: over.surface,
    evidence: over.evidence,
    inputs,
    conflicts: over.conflicts,
    ...(over.set_aside === undefined ? {} : { set_aside: over.set_aside }),
    ...(over.changed_tools === undefined ? {} : { changed_tools: over.changed_tools }),
    ...(over.proposed === undefined ? {} : { proposed: over.proposed }),
    declared: {
      over: over.id,
      blob: await putJson(ctx, declared),
      tools_added: [...tools_added],
      tools_redeclared: [...tools_redeclared],
      tools_removed: [...tools_removed],
      descriptions_changed: [...descriptions_changed],
      ...(schemas_changed.length === 0 ? {} : { schemas_changed: [...schemas_changed] }),
    },
  });
}

/** What was declared over one version, declared over another compiled in its place; that one itself where nothing was. */
export async function declaredAgain(ctx: Ctx, was: BundleDoc, compiled: BundleDoc): Promise<BundleDoc> {
  if (was.declared === undefined) return compiled;
  return declareBundle(ctx, compiled, Declarations.parse(await getJson(ctx, was.declared.blob)));
}
