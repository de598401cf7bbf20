import { useEffect, useRef, useState } from 'react';
import { Button, submits } from './elements.tsx';

/** Stands over the page, so that what is typed there stays. An identity provider's sign-in takes its place. */
export function SignIn({ demoToken, signIn }: { demoToken: string; signIn: (token: string) => Promise<void> }) {
  const [token, setToken] = useState(demoToken);
  const [refused, setRefused] = useState('');
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = () => {
    setRefused('');
    signIn(token.trim()).catch((error: Error) => setRefused(error.message));
  };
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-title" onCancel={(event) => event.preventDefault()}>
      <form id="sign-in" onSubmit={submits(submit)}>
        <h1 id="sign-in-title">Catalog</h1>
        <label htmlFor="token">Access token</label>
        <input id="token" value={token} onChange={({ target }) => setToken(target.value)} autoComplete="off" required />
        <p id="refused" role="alert">
          {refused}
        </p>
        <Button className="main" type="submit" text="Sign in" />
        <small>The output of npm start has the tokens of other users.</small>
      </form>
    </dialog>
  );
}
