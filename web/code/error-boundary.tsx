import { Component, type ReactNode } from "react";
import { Button } from "../shared/components/button.tsx";
import { PageState } from "../shared/components/page-state.tsx";
import { copyFeedback } from "./dialogs/compose.ts";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
}

/** A defect of the page must not cost the person's words: says that they are safe, and how to go on. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly message: string | undefined }> {
  override state = { message: undefined };

  static getDerivedStateFromError(error: unknown): { readonly message: string } {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    if (this.state.message === undefined) return this.props.children;
    return (
      <PageState
        title="This page has failed"
        actions={
          <>
            <Button onClick={() => void copyFeedback()}>Copy the feedback</Button>
            <Button variant="primary" onClick={() => location.reload()}>
              Load it again
            </Button>
          </>
        }
      >
        <p>Nothing was decided, and your comments are saved. What went wrong: {this.state.message}</p>
      </PageState>
    );
  }
}
