import { tokenIn } from "../model/index.ts";

const KEY = "meridian.token";

/**
 * The token of the reader. It lives as long as the tab, and is never in an address that leaves the browser: what comes
 * with the fragment is removed from it before anything else happens.
 */
export class Session {
  #token: string | undefined;

  constructor() {
    const brought = tokenIn(location.hash);
    if (brought !== undefined) {
      history.replaceState(undefined, "", `${location.pathname}${location.search}${brought.rest}`);
      this.signIn(brought.token);
      return;
    }
    this.#token = sessionStorage.getItem(KEY) ?? undefined;
  }

  /** A link with another token may be followed while the page is open. */
  followLinks(): void {
    addEventListener("hashchange", () => {
      if (tokenIn(location.hash) !== undefined) location.reload();
    });
  }

  get token(): string | undefined {
    return this.#token;
  }

  signIn(token: string): void {
    this.#token = token;
    sessionStorage.setItem(KEY, token);
  }

  signOut(): void {
    this.#token = undefined;
    sessionStorage.removeItem(KEY);
  }
}
