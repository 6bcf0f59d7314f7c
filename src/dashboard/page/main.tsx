import { render } from "preact";
import { Page } from "./page.tsx";
import { Session } from "./session.ts";

const root = document.getElementById("page");
if (root !== null) {
  const session = new Session();
  session.followLinks();
  root.replaceChildren();
  render(<Page session={session} />, root);
}
