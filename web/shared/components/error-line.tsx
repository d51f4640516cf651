/** Shows an error message as an alert, or nothing. */
export function ErrorLine({ error }: { readonly error: string | undefined }) {
  if (error === undefined || error === "") return null;
  return (
    <p className="dialog-error" role="alert">
      {error}
    </p>
  );
}
