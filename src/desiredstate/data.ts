import { type ObjectRef, parseApiVersion } from "../apis/index.ts";

/** Whether data goes with the object that nobody can bring back. */
export function holdsData({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): boolean {
  return kind === "PersistentVolumeClaim" && parseApiVersion(apiVersion).group === "";
}
