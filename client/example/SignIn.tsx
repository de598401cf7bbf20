import { noticeOf } from 'catalog-client';
import { useState } from 'react';
import { Button, Select, submits } from './elements.tsx';
import { languages, useLanguage } from './language.ts';

interface Props {
  readonly demoToken: string;
  /** Whether the page is open: then it says that the session has ended, and leaves the keyboard where it is. */
  readonly isAgain: boolean;
  readonly signIn: (token: string) => Promise<void>;
  readonly speak: (language: string) => void;
}

export const LanguageChoice = ({ speak }: Pick<Props, 'speak'>) => {
  const { code, say } = useLanguage();
  const options = Object.entries(languages).map(([each, { name }]) => [each, name] as const);
  return <Select aria-label={say('language')} value={code} options={options} onPick={speak} />;
};

/** An identity provider's sign-in takes its place. */
export function SignIn({ demoToken, isAgain, signIn, speak }: Props) {
  const { say, notice } = useLanguage();
  const [token, setToken] = useState(demoToken);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState('');
  const submit = async () => {
    if (isBusy) return;
    setRefused('');
    setBusy(true);
    await signIn(token.trim()).catch((error: Error) => setRefused(notice(noticeOf(error))));
    setBusy(false);
  };
  const form = (
    <form id="sign-in" onSubmit={submits(submit)}>
      {isAgain ? <p role="status">{say('ended')}</p> : <h1>{say('title')}</h1>}
      {!isAgain && <p>{say('about')}</p>}
      <label htmlFor="token">{say('token')}</label>
      <input
        id="token"
        type="password"
        value={token}
        onChange={({ target }) => setToken(target.value)}
        autoComplete="off"
        aria-describedby="token-hint"
        required
      />
      <small id="token-hint">{say('token_hint')}</small>
      <p id="refused" role="alert">
        {refused}
      </p>
      <p className="row">
        <Button className="main" type="submit" text={say(isBusy ? 'signing_in' : 'sign_in')} aria-disabled={isBusy} />
        {!isAgain && <LanguageChoice speak={speak} />}
      </p>
    </form>
  );
  return isAgain ? <aside id="ended">{form}</aside> : <main id="door">{form}</main>;
}
