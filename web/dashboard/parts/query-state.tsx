import type { ReactNode } from "react";
import { Button } from "../../shared/components/button.tsx";
import type { Query } from "../data/use-query.ts";

interface QueryStateProps<Data> {
  readonly query: Query<Data>;
  /** The name of the loaded data, as it follows "Cannot load". */
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}

/** Renders loaded data, a notice before the first data is loaded, and an error above the last data. */
export function QueryState<Data>({ query, what, children }: QueryStateProps<Data>) {
  const { data, error, isLoading, reload } = query;
  return (
    <>
      {error && (
        <div className="notice notice-error" role="alert">
          <p>
            <strong>Cannot load {what}.</strong> {error.message}
          </p>
          <Button small onClick={reload}>
            Try again
          </Button>
        </div>
      )}
      {data === undefined && !error && (
        <p className="loading" role="status">
          Loading {what}…
        </p>
      )}
      {data !== undefined && (
        <div className="loaded" aria-busy={isLoading}>
          {children(data)}
        </div>
      )}
    </>
  );
}
