export interface ReviewApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}
export function describeReviewApi(version: string): ReviewApi;
