/**
 * Findings on suppressions: those that fit nothing, and those whose time is over.
 */
import { defineFinding } from '../finding.ts'

export const suppressionUnused = defineFinding<{ suppressed: string; reason: string }>({
  id: 'suppression-unused',
  severity: 'note',
  meaning:
    'A suppression fits no finding, nor a rule without a judgement: what it was written for is gone, or it names another place.',
  source: '',
  remedy: 'delete it, or correct its subject',
  text: ({ suppressed, reason }) => `the suppression of ${suppressed} (${reason}) fits no finding`,
})

export const suppressionExpired = defineFinding<{ suppressed: string; reason: string; until: string }>({
  id: 'suppression-expired',
  severity: 'warning',
  meaning: 'A suppression had an end, which is over: its finding counts again.',
  source: '',
  remedy: 'correct what was found, or set another end',
  text: ({ suppressed, reason, until }) => `the suppression of ${suppressed} (${reason}) ended on ${until}`,
})
