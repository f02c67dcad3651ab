/**
 * Parameters of forwarding: when a frame may leave a switch. Declarations only; link/cut-through.ts implements it.
 */
import { size, variant, definition } from '../base/params.ts'

const storeAndForward = definition({
  name: 'store-and-forward',
  help: 'a frame may leave when its last bit is in',
  params: {},
})

const cutThrough = definition({
  name: 'cut-through',
  help: 'a frame may leave when its header is in, through an idle port that is no faster than the one it came by; else it is stored',
  source: 'Cisco white paper C11-465436; Dell SmartFabric OS10 guide, cut-through switching mode',
  params: {
    header: size({
      default: 64,
      min: 14,
      max: 9216,
      help: 'bytes of a frame that must be in before it can leave',
      source: 'own: Ethernet, IPv4, UDP and BTH are 54; chips look at whole cells or words',
    }),
  },
})

export const forwardingParam = variant([storeAndForward, cutThrough], {
  default: 'store-and-forward',
  help: 'when a frame may leave a switch',
})
