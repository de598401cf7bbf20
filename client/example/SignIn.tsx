import { useEffect, useRef, useState } from 'react';

/** Stands over the page, so that what is typed there stays. An identity provider's sign-in takes its place. */
export function SignIn({ demoToken, signIn }: { demoToken: string; signIn: (token: string) => Promise<void> }) {
  const [token, setToken] = useState(demoToken);
  const [refused, setRefused] = useState('');
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-title" onCancel={(event) => event.preventDefault()}>
      <form
        id="sign-in"
        onSubmit={(event) => {
          event.preventDefault();
          setRefused('');
          signIn(token.trim()).catch((error: Error) => setRefused(error.message));
        }}
      >
        <h1 id="sign-in-title">Catalog</h1>
        <label>
          Access token
          <input
            id="token"
            value={token}
            onChange={({ target }) => setToken(target.value)}
            autoComplete="off"
            required
          />
        </label>
        <p id="refused" role="alert">
          {refused}
        </p>
        <p className="row">
          <button className="main" type="submit">
            Sign in
          </button>
          <small>
            <code>npm start</code> prints the tokens of other users.
          </small>
        </p>
      </form>
    </dialog>
  );
}
