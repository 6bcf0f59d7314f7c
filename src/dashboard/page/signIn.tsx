import { useState } from "preact/hooks";

interface Properties {
  message?: string;
  onToken: (token: string) => void;
}

export function SignIn({ message, onToken }: Properties) {
  const [token, setToken] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    if (token.trim() !== "") onToken(token.trim());
  };
  return (
    <main class="signIn">
      <h1>Meridian</h1>
      <p>The status of the fleet, with the rights that you have on the hub.</p>
      {message === undefined ? null : (
        <p class="notice bad" role="alert">
          {message}
        </p>
      )}
      <form onSubmit={submit}>
        <label for="token">Token for the hub</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
        <button type="submit" disabled={token.trim() === ""}>
          Sign in
        </button>
      </form>
      <p class="dim">
        A token comes with <code>kubectl create token NAME -n NAMESPACE</code>. It stays in this tab, and is gone when
        you sign out or close the tab.
      </p>
    </main>
  );
}
