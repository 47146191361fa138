/**
 * An answer with a status other than the operation's first one (for example 200 where nothing had to be started).
 * A handler that always answers with its first status returns the body alone.
 */
export class Reply<T> {
  readonly status: number;
  readonly body: T;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, body: T, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The answer of an operation whose `answer` is `file`: bytes with a name and a media type, whole or as a stream. */
export class FileAnswer {
  readonly name: string;
  readonly type: string;
  readonly content: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** The same facts as data, for the tool that answers them; fits the operation's output schema. */
  readonly data: unknown;
  constructor(name: string, type: string, content: FileAnswer["content"], data?: unknown) {
    this.name = name;
    this.type = type;
    this.content = content;
    this.data = data;
  }
}
