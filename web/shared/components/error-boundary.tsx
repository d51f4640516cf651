import { Component, type ReactNode } from "react";
import { Button } from "./button.tsx";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** Renders the fallback. `retry` renders the children again; `retries` is the number of its calls. */
  readonly fallback: (message: string, retry: () => void, retries: number) => ReactNode;
}

interface ErrorBoundaryState {
  readonly message: string | undefined;
  readonly retries: number;
}

/** Renders a fallback if rendering fails. Without an error boundary, React removes the whole page. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { message: undefined, retries: 0 };

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { message, retries } = this.state;
    if (message === undefined) return this.props.children;
    const retry = () => this.setState({ message: undefined, retries: retries + 1 });
    return this.props.fallback(message, retry, retries);
  }
}

interface RegionProps {
  /** Name of the region at the start of a sentence: "The contents". */
  readonly name: string;
  readonly children: ReactNode;
}

/**
 * Isolates rendering failures to one region of a page. A region that fails again offers to reload the page, because
 * browsers may not request a script again that has failed to load.
 */
export function Region({ name, children }: RegionProps) {
  return (
    <ErrorBoundary
      fallback={(message, retry, retries) => (
        <div className="region-failed" role="alert">
          <p>
            {name} cannot be shown: {message}
          </p>
          <Button small onClick={retries === 0 ? retry : () => location.reload()}>
            {retries === 0 ? "Try again" : "Reload the page"}
          </Button>
        </div>
      )}
    >
      {children}
    </ErrorBoundary>
  );
}
