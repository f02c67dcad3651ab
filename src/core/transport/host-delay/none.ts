/** No delay: the application is at the wire. */
import { defineHostDelay } from './host-delay.ts'

export const none = defineHostDelay({
  name: 'none',
  help: 'no time between the wire and the application, besides what the loss recovery adds (tcp: stackLatency)',
  source: 'own',
  params: {},
  create: () => null,
})
