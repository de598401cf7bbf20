import type { OpenTable } from '../table/openTable.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
import type { Finding } from './checks.ts';
import { rateLimitedRecords, verifyTable } from './verifyTable.ts';

export interface VerificationDependencies extends OpenTable {
  readonly observe: (findings: readonly Finding[]) => void;
}

/** Capacity units per second, as the operators' command uses by default. */
const rate = 500;

/** Verifies the table. It repairs nothing, because an operator should see what was found first. */
export const verificationHandler =
  ({ database, source, observe }: VerificationDependencies) =>
  async (): Promise<void> => {
    const limiter = new RateLimiter(rate, database.clock);
    const pace = { segments: 4, limiter, now: database.clock.now };
    const progress = { records: 0, suspects: 0, rechecked: 0 };
    observe(await verifyTable(source, rateLimitedRecords(database, limiter), { ...pace, progress }));
  };
