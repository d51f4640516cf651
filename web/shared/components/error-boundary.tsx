import { Component, type ReactNode } from "react";
import { Button } from "./button.tsx";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** Renders the fallback. `retry` renders the children again. */
  readonly fallback: (message: string, retry: () => void) => ReactNode;
}

interface ErrorBoundaryState {
  readonly message: string | undefined;
}

/** Renders a fallback if rendering fails. Without it, React removes the whole page. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { message: undefined };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { message } = this.state;
    if (message === undefined) return this.props.children;
    return this.props.fallback(message, () => this.setState({ message: undefined }));
  }
}

interface RegionProps {
  /** Name of the region at the start of a sentence: "The contents". */
  readonly name: string;
  readonly children: ReactNode;
}

/** Isolates rendering failures to one region of a page. */
export function Region({ name, children }: RegionProps) {
  return (
    <ErrorBoundary
      fallback={(message, retry) => (
        <div className="region-failed" role="alert">
          <p>
            {name} cannot be shown: {message}
          </p>
          <Button small onClick={retry}>
            Try again
          </Button>
        </div>
      )}
    >
      {children}
    </ErrorBoundary>
  );
}
