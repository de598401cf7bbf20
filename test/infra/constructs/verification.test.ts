import { describe, expect, it } from 'vitest';
import { synthesise } from '../../../local/template/synthesise.ts';
import { propertiesOf, templateOf } from '../templateOf.ts';

describe('the verification', () => {
  it('is omitted if the settings say so, and in the local service', () => {
    expect(propertiesOf(templateOf('dev'), 'AWS::Events::Rule')).toEqual([]);
    const { template: local, remove } = synthesise(false, { verification: true });
    remove();
    expect(JSON.stringify(local)).not.toContain('AWS::Events::Rule');
  });
});
