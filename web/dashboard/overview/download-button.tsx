import { Download } from "lucide-react";
import { useState } from "react";
import { Button } from "../../shared/components/button.tsx";
import { showToast } from "../../shared/components/toast.tsx";
import { ApiError } from "../data/api.ts";
import { getStart, type Range } from "../data/ranges.ts";
import { useSession } from "../data/session.ts";

/**
 * Renders a button that downloads the report of a range by day and group as CSV. A link could not send the
 * key.
 */
export function DownloadButton({ range, by }: { readonly range: Range; readonly by: string }) {
  const { api } = useSession();
  const [isBusy, setIsBusy] = useState(false);
  const download = async () => {
    setIsBusy(true);
    try {
      const from = getStart(range, Date.now());
      save(
        await api.getText("/usage", { from, group_by: `day,${by}`, format: "csv" }),
        `usage-${range.id}-${by}.csv`,
      );
    } catch (error) {
      showToast(error instanceof ApiError ? error.message : String(error), { tone: "danger" });
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button small onClick={download} disabled={isBusy}>
      <Download size={14} aria-hidden /> CSV by day
    </Button>
  );
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
