import { type Mock, onTestFinished, vi } from 'vitest';
import { Session } from '../../../lib/store/database/database.ts';

type Send = (...args: readonly unknown[]) => Promise<unknown>;

/** Where this process sends its requests to DynamoDB. */
const sender = Session.prototype as unknown as { send: Send };
const { send } = sender;

/**
 * Watches every request that this process sends to DynamoDB, until the test has finished.
 * @param failureOf the error that a request fails with, by its number from 1. Undefined lets it pass.
 */
export function spyOnDatabase(failureOf: (nth: number) => Error | undefined = () => undefined): Mock<Send> {
  const spy = vi.spyOn(sender, 'send').mockImplementation(function (this: unknown, ...args) {
    const failure = failureOf(spy.mock.calls.length);
    return failure === undefined ? Reflect.apply(send, this, args) : Promise.reject(failure);
  });
  onTestFinished(() => spy.mockRestore());
  return spy;
}
