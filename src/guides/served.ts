import { AppError } from "../../chapters/errors.ts";
import type { RegisteredOperation } from "../../tools/kernel/registry.ts";
import { publicError } from "../http/public-error.ts";
import {
  type Complete,
  Refused,
  type ServedPrompts,
  type ServedResources,
  type ServedTools,
} from "../mcp/mcp-endpoint.ts";
import { docPages } from "./docs.ts";
import { filled, listing, PROMPTS, type Prompt } from "./prompts.ts";
import { DOCS, docResources, orgResources, READABLES, type Readable, textOf, variablesOf } from "./resources.ts";
import { type Ask, type Value, valuesOf } from "./values.ts";

type Operations = ReadonlyMap<string, RegisteredOperation>;

/** The caller that resources are read for. */
export interface Reader {
  /** Asks any operation of the service as the caller. */
  readonly ask: Ask;
  /** Whether the caller is of an org, so that its own records can be listed. */
  readonly ofOrg: boolean;
}

/** What one list of tools leaves of the prompts and resources. */
interface Offer {
  readonly prompts: readonly Prompt[];
  readonly served: ServedPrompts | undefined;
  readonly readables: readonly Readable[];
  readonly templates: readonly object[];
}

const offers = new WeakMap<Operations, Offer>();

/**
 * Prompts, resources and completions for one request. A prompt is offered where every tool that it names is, a resource
 * where the tool that answers it is, so a URL that narrows the tools narrows them too; the documentation always is.
 */
export function guides(
  operations: Operations,
  reader: Reader,
): Pick<ServedTools, "prompts" | "resources" | "complete"> {
  const offer = offers.get(operations) ?? offerOf(operations);
  offers.set(operations, offer);
  return {
    ...(offer.served ? { prompts: offer.served } : {}),
    resources: servedResources(offer, operations, reader),
    complete: completions(offer, reader.ask),
  };
}

function offerOf(operations: Operations): Offer {
  const prompts = PROMPTS.filter(({ tools }) => tools.every((name) => operations.has(name)));
  const readables = READABLES.filter(({ tool }) => operations.has(tool));
  return {
    prompts,
    served: prompts.length === 0 ? undefined : servedPrompts(prompts),
    readables,
    templates: readables
      .filter(isTemplate)
      .map(({ address, ...readable }) => ({ uriTemplate: address, ...told(readable) })),
  };
}

function servedPrompts(prompts: readonly Prompt[]): ServedPrompts {
  return {
    prompts: prompts.map(listing),
    async get(name, args) {
      const prompt = prompts.find((each) => each.name === name);
      return prompt && filled(prompt, args);
    },
  };
}

function servedResources(
  { readables, templates }: Offer,
  operations: Operations,
  { ask, ofOrg }: Reader,
): ServedResources {
  return {
    templates,
    list: () =>
      asRefused(async () => [
        ...docResources(),
        // The service-wide credential has no org whose records could be listed.
        ...(ofOrg ? await own(readables, ask) : []),
      ]),
    async read(uri) {
      const page = docPages().find(({ name }) => uri === DOCS + name);
      if (page) return { contents: [{ uri, mimeType: "text/markdown", text: page.text }] };
      for (const readable of readables) {
        const variables = variablesOf(readable, uri);
        const op = operations.get(readable.tool)?.op;
        if (!variables || !op) continue;
        const text = await asRefused(
          async () => textOf(readable, op, await ask(readable.tool, readable.args(variables))),
          uri,
        );
        return { contents: [{ uri, mimeType: readable.mimeType, text }] };
      }
      return undefined;
    },
  };
}

async function own(readables: readonly Readable[], ask: Ask): Promise<object[]> {
  const single = readables.filter((readable) => !isTemplate(readable));
  return [
    ...single.map(({ address, ...readable }) => ({ uri: address, ...told(readable) })),
    ...(await orgResources(ask, new Set(readables.map(({ name }) => name)))),
  ];
}

function told({ name, title, description, mimeType }: Omit<Readable, "address">): object {
  return { name, title, description, mimeType };
}

function isTemplate({ address }: Readable): boolean {
  return address.includes("{");
}

function completions({ prompts, readables }: Offer, ask: Ask): Complete {
  return async ({ of, argument, typed, given }) => {
    let value: Value | undefined;
    if ("prompt" in of) {
      const prompt = prompts.find(({ name }) => name === of.prompt);
      if (!prompt) return undefined;
      value = prompt.arguments.find(({ name }) => name === argument)?.value;
    } else {
      const readable = readables.find(({ address }) => address === of.template);
      if (!readable) return undefined;
      value = readable.values[argument];
    }
    if (value === undefined) return [];
    try {
      return await valuesOf(ask, value, typed, given);
    } catch (error) {
      // Nothing to propose, to this caller: what it may not see or does not exist is no value.
      if (error instanceof AppError) return [];
      throw error;
    }
  };
}

/** A refusal of the service in the words of the protocol: the body that REST has goes along. */
async function asRefused<T>(work: () => Promise<T>, uri?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { body } = publicError(error, "");
    throw new Refused(["bad_request", "not_found"].includes(error.code) ? "params" : "request", body.reason, {
      ...(uri === undefined ? {} : { uri }),
      ...body,
    });
  }
}
