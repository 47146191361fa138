type Resource = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
);
/** A part of a tool's answer. */
export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "resource"; readonly resource: Resource }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly mimeType: string;
      readonly description: string;
    };

/** A tool's answer. Text and structure carry the same data, since clients hand their model the one or the other. */
export interface ToolResult {
  [key: string]: unknown;
  readonly content: Content[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
}
