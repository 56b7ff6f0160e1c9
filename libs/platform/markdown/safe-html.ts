import type Sanitize from 'sanitize-html';
import { sanitize } from './libraries.js';

const words = (text: string): string[] => text.trim().split(/\s+/);

const TEXT_TAGS = words(`
  p br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li table thead tbody tr th td strong em del code pre a span div time img
  video audio`);

/** The elements of formulas. None of them can contain HTML again. */
const FORMULA_TAGS = words(`
  math semantics annotation mrow mi mo mn ms mtext mspace msup msub msubsup mover munder munderover mfrac msqrt mroot
  mtable mtr mtd mlabeledtr mstyle mpadded mphantom menclose svg path line`);

const FORMULA_ATTRIBUTES = words(`
  xmlns display encoding mathvariant mathcolor mathbackground mathsize stretchy fence separator lspace rspace minsize
  maxsize symmetric largeop movablelimits accent accentunder linethickness width height depth voffset notation
  columnalign columnspacing columnlines rowspacing rowlines displaystyle scriptlevel rowalign side class d x1 x2 y1 y2
  stroke-width viewbox preserveaspectratio`);

const FORMULA_CLASSES = words(`
  katex katex-mathml katex-html katex-display fleqn leqno base strut newline textbf textit textrm textsf texttt
  mathnormal mathit mathrm mathbf boldsymbol amsrm mathbb textbb mathcal mathfrak textfrak mathboldfrak textboldfrak
  mathtt mathscr textscr mathsf textsf mathboldsf textboldsf mathsfit mathitsf textitsf mainrm vlist-t vlist-r vlist
  vlist-t2 vlist-s vbox thinbox msupsub mfrac frac-line overline underline hline hdashline overline-line
  underline-line mspace llap rlap clap inner fix rule sqrt root sizing delimsizing mult delim-size1 delim-size4
  delimsizinginner nulldelimiter delimcenter op-symbol small-op large-op op-limits accent accent-body accent-full
  overlay mtable vertical-separator arraycolsep col-align-c col-align-l col-align-r svg-align hide-tail
  halfarrow-left halfarrow-right brace-left brace-center brace-right x-arrow x-arrow-pad mover munder boxpad fbox
  fcolorbox cancel-pad cancel-lap sout angl anglpad eqn-num mml-eqn-num mtr-glue cd-vert-arrow cd-label-left
  cd-label-right cd-arrow-pad mord mop mbin mrel mopen mclose mpunct minner text mtight pstrut smash stretchy
  reset-textstyle textstyle uncramped cramped displaystyle tag nobreak allowbreak`);

const SIZE_CLASS = /^(?:reset-)?size(?:\d|1[01])$/;
/** The classes of Pygments. */
const CODE_CLASS = /^[a-z]{1,2}\d?$/;
const EMOJI_CLASS = /^emoji(?:-[0-9a-f]{2,6}){1,12}$/;

/** The styles of formulas: lengths and colours. */
const FORMULA_STYLE =
  /^(?:(?:height|width|min-width|max-width|vertical-align|top|bottom|left|padding-(?:left|right)|margin-(?:left|right|top|bottom)|border-(?:bottom-|right-|top-)?width):-?[\d.]{1,12}(?:em|%)?;|position:relative;|border-(?:right-)?style:(?:solid|dashed);|(?:color|background-color|border-color):#?\w{1,20};)+$/;

const ALIGNMENT = /^text-align: (?:left|center|right);$/;

const SAFE_SOURCE = /^(?:https?:\/\/|\/(?![/\\]))/i;

const options: Sanitize.IOptions = {
  allowedTags: [...TEXT_TAGS, ...FORMULA_TAGS],
  allowedAttributes: {
    ...Object.fromEntries(FORMULA_TAGS.map((tag) => [tag, FORMULA_ATTRIBUTES])),
    a: ['href', 'title', 'data-stream-id'],
    audio: ['controls', 'preload', 'src', 'title'],
    div: ['aria-hidden', 'data-code-language'],
    img: ['alt', 'src', 'title'],
    ol: ['start'],
    span: words('data-user-id data-user-group-id aria-label aria-hidden role title style'),
    td: ['style'],
    th: ['style'],
    time: ['datetime'],
    video: ['preload', 'src'],
  },
  allowedClasses: {
    a: ['stream', 'stream-topic', 'message-link'],
    div: words(`
      codehilite spoiler-block spoiler-header spoiler-content message_inline_image message_inline_video`),
    img: ['emoji', 'inline-image'],
    span: [
      ...words('user-mention channel-wildcard-mention topic-mention user-group-mention silent'),
      ...words('emoji tex-error'),
      ...FORMULA_CLASSES,
      SIZE_CLASS,
      CODE_CLASS,
      EMOJI_CLASS,
    ],
  },
  transformTags: {
    span: withStyle(FORMULA_STYLE),
    td: withStyle(ALIGNMENT),
    th: withStyle(ALIGNMENT),
  },
  exclusiveFilter: ({ tag, attribs }) =>
    (tag === 'img' || tag === 'video' || tag === 'audio') &&
    !SAFE_SOURCE.test(attribs['src'] ?? ''),
  allowedSchemes: ['http', 'https', 'mailto', 'mid', 'sms', 'tel'],
  allowProtocolRelative: false,
  parseStyleAttributes: false,
  nestingLimit: 100,
};

/** Drops all other styles. */
function withStyle(allowed: RegExp): Sanitize.Transformer {
  return (tagName, attribs) => {
    const { style } = attribs;
    if (style === undefined || allowed.test(style)) return { tagName, attribs };
    return { tagName, attribs: { ...attribs, style: '' } };
  };
}

/** Drops everything that Markdown cannot produce: a second barrier behind the parser. */
export const cleanHtml = (html: string): string =>
  sanitize()(html, options).replaceAll(/<((?:[bh]r|img)\b[^<>]*?) \/>/g, '<$1>');
