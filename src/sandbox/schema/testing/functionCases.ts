import { crdOf, type Fields, type SchemaCase, specs, text, withSpec } from "./shapes.ts";

/** Every function that Kubernetes gives to rules: each line is an expression about a text, which a real API server finds true or not. */

const about: Readonly<Record<string, readonly string[]>> = {
  "Hello, Wörld": [
    "self.size() == 12 && size(self) == 12",
    "self.charAt(8) == 'ö' && self.charAt(12) == ''",
    "self.indexOf('l') == 2 && self.lastIndexOf('l') == 10 && self.indexOf('x') == -1 && self.indexOf('l', 3) == 3",
    "self.lowerAscii() == 'hello, wörld' && self.upperAscii() == 'HELLO, WöRLD'",
    "self.replace('l', 'L') == 'HeLLo, WörLd' && self.replace('l', 'L', 2) == 'HeLLo, Wörld' && self.replace('l', 'L', -1) == 'HeLLo, WörLd'",
    "self.split(', ') == ['Hello', 'Wörld'] && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'a'.split('', 0) == []",
    "self.substring(7) == 'Wörld' && self.substring(0, 5) == 'Hello' && self.substring(12) == ''",
    "' a\\t'.trim() == 'a'",
    "self.startsWith('Hell') && self.endsWith('rld') && self.contains('o, W')",
    "self.matches('^H.*d$') && matches(self, 'W.rld') && !self.matches('^W')",
    "self.matches('(?i)^hello') && self.matches(r'\\pL+')",
    "self.find('[A-Z][a-z]+') == 'Hello' && self.find('[0-9]') == ''",
    "self.findAll('l+') == ['ll', 'l'] && self.findAll('l+', 1) == ['ll'] && self.findAll('x') == []",
    "'%s|%d|%x|%b|%o'.format([self, 10, 255, 5, 8]) == 'Hello, Wörld|10|ff|101|10'",
    "'%.2f|%%|%X'.format([1.5, 'hi']) == '1.50|%|6869'",
    "'%s %s %s'.format([[1, 'a'], true, null]) == '[1, a] true null'",
    "strings.quote('a\"b\\n') == '\"a\\\\\"b\\\\n\"'",
    "string(1) == '1' && string(1.5) == '1.5' && string(true) == 'true' && string(b'abc') == 'abc'",
    "int('7') == 7 && int(7.9) == 7 && double('1.5') == 1.5 && double(2) == 2.0 && uint(3) == 3u && bool('true')",
    "bytes('abc') == b'abc' && b'abc'.size() == 3",
    "type(self) == string && type(1) == int && type([]) == list && type({}) == map && type(null) == null_type",
  ],
  lists: [
    "[1, 2, 3].sum() == 6 && [1.5, 2.5].sum() == 4.0 && [duration('1h'), duration('30m')].sum() == duration('90m')",
    "[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(5) == -1",
    "[1, 2, 3, 4].slice(1, 3) == [2, 3] && [[1], [2, 3]].flatten() == [1, 2, 3]",
    "[[[1], [2]], [[3]]].flatten(2).size() == 3",
    "[3, 1, 2].sort() == [1, 2, 3] && ['b', 'a'].sort() == ['a', 'b'] && [1, 2, 3].reverse() == [3, 2, 1]",
    "[1, 2, 1, 3, 2].distinct() == [1, 2, 3] && lists.range(3) == [0, 1, 2]",
    "[{'n': 'b'}, {'n': 'a'}].sortBy(e, e.n)[0].n == 'a'",
    "[1, 2].first().value() == 1 && [1, 2].last().value() == 2 && ![0].slice(1, 1).first().hasValue()",
    "sets.contains([1, 2, 3], [2, 1]) && !sets.contains([1], [2]) && sets.contains([1], [])",
    "sets.equivalent([1, 2, 2], [2, 1]) && !sets.equivalent([1], [1, 2])",
    "sets.intersects([1, 2], [2, 3]) && !sets.intersects([1], [2])",
    "[1, 2].all(i, v, i < v) && [1, 2].exists(i, v, i == 1 && v == 2) && [1, 2].existsOne(i, v, v == 2)",
    "[1, 2].transformList(i, v, i * v) == [0, 2] && [1, 2].transformList(i, v, v > 1, v) == [2]",
    "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2} && {'a': 1, 'b': 2}.transformMap(k, v, v > 1, v) == {'b': 2}",
    "{'a': 'x'}.transformMapEntry(k, v, {v: k}) == {'x': 'a'} && {'a': 1}.transformList(k, v, k) == ['a']",
    "[1, 2, 3].map(x, x * 2) == [2, 4, 6] && [1, 2, 3].map(x, x > 1, x * 2) == [4, 6] && [1, 2, 3].filter(x, x > 1) == [2, 3]",
    "[1, 2].exists_one(x, x == 1) && ![1, 1].exists_one(x, x == 1) && [1].exists(x, x == 1) && [].all(x, false)",
    "1 in [1, 2] && !(3 in [1, 2]) && 'a' in {'a': 1} && [1] + [2] == [1, 2] && [1, 2][1] == 2",
    "[1, 2] == [1, 2] && [1, 2] != [2, 1] && {'a': [1]} == {'a': [1]} && {'a': 1} != {'b': 1}",
    "{'a': 1}.size() == 1 && size({}) == 0 && {'a': 1}['a'] == 1 && {'a': {'b': 1}}.a.b == 1 && has({'a': 1}.a)",
  ],
  numbers: [
    "7 / 2 == 3 && 7 % 3 == 1 && -7 / 2 == -3 && 2 * 3 - 1 == 5 && 7.0 / 2.0 == 3.5",
    "1 < 1.5 && 1u < 2 && 2.5 > 2 && 1 <= 1.0 && dyn(1) == 1.0 && dyn(1) == 1u && 1.0 == dyn(1u)",
    "0xff == 255 && -9223372036854775808 < 9223372036854775807 && 1e3 == 1000.0",
    "(1 > 0 ? 'a' : 'b') == 'a' && !(false || false) && (true || 1 / 0 == 1) && !(false && 1 / 0 == 1)",
  ],
  "2024-02-29T12:34:56.789Z": [
    "timestamp(self).getFullYear() == 2024 && timestamp(self).getMonth() == 1 && timestamp(self).getDayOfMonth() == 28",
    "timestamp(self).getDate() == 29 && timestamp(self).getDayOfWeek() == 4 && timestamp(self).getDayOfYear() == 59",
    "timestamp(self).getHours() == 12 && timestamp(self).getMinutes() == 34 && timestamp(self).getSeconds() == 56 && timestamp(self).getMilliseconds() == 789",
    "timestamp(self).getHours('Asia/Shanghai') == 20 && timestamp(self).getHours('+02:00') == 14",
    "timestamp(self) + duration('1h') > timestamp(self) && timestamp(self) - duration('1s') < timestamp(self)",
    "timestamp(self) - timestamp('2024-02-29T12:34:55.789Z') == duration('1s')",
    "string(timestamp('2024-02-29T12:34:56Z')) == '2024-02-29T12:34:56Z' && int(timestamp('1970-01-01T00:00:01Z')) == 1",
    "timestamp(1) == timestamp('1970-01-01T00:00:01Z')",
    "duration('1h30m').getHours() == 1 && duration('1h30m').getMinutes() == 90 && duration('90s').getSeconds() == 90 && duration('1.5s').getMilliseconds() == 1500",
    "duration('60s') == duration('1m') && duration('1m') < duration('61s') && duration('1m') + duration('1s') == duration('61s') && duration('-1s') < duration('0s')",
    "string(duration('90m')) == '5400s' && string(duration('1500ms')) == '1.5s'",
  ],
  "1.5Gi": [
    "isQuantity(self) && !isQuantity('much') && quantity(self).isGreaterThan(quantity('1G')) && quantity('1').isLessThan(quantity('1001m'))",
    "quantity('1').compareTo(quantity('1000m')) == 0 && quantity('1k').compareTo(quantity('999')) == 1 && quantity('1k') == quantity('1000')",
    "quantity('1k').asInteger() == 1000 && quantity('1k').isInteger() && !quantity('1m').isInteger() && quantity('500m').asApproximateFloat() == 0.5",
    "quantity('1k').add(quantity('1')).asInteger() == 1001 && quantity('1k').add(1) == quantity('1001') && quantity('1k').sub(1) == quantity('999')",
    "quantity('1k').sub(quantity('2k')).compareTo(quantity('-1k')) == 0 && sign(quantity('-1')) == -1 && sign(quantity('0')) == 0",
  ],
  "10.1.2.3": [
    "isIP(self) && !isIP('10.1.2') && ip(self).family() == 4 && ip('::1').family() == 6 && string(ip('::0:1')) == '::1'",
    "ip.isCanonical(self) && !ip.isCanonical('::0:1') && ip(self) == ip('10.1.2.3') && ip('2001:DB8::1') == ip('2001:db8:0::1')",
    "ip('0.0.0.0').isUnspecified() && ip('127.0.0.1').isLoopback() && ip('::1').isLoopback() && ip('169.254.1.1').isLinkLocalUnicast()",
    "ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast() && ip('fe80::1').isLinkLocalUnicast()",
    "ip('8.8.8.8').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast() && ip(self).isGlobalUnicast() && !ip('224.0.0.1').isGlobalUnicast()",
    "isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0') && cidr('10.0.0.0/8').containsIP(self) && cidr('10.0.0.0/8').containsIP(ip(self))",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8')) && !cidr('10.0.0.0/8').containsIP('::1')",
    "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.1.2.3/8').ip() == ip(self) && cidr('10.0.0.0/8').prefixLength() == 8 && string(cidr('::/0')) == '::/0'",
  ],
  "https://user@example.com:8443/a%20b?x=1&x=2&y=z#f": [
    "isURL(self) && !isURL('a b') && !isURL('') && isURL('/path')",
    "url(self).getScheme() == 'https' && url(self).getHost() == 'example.com:8443' && url(self).getHostname() == 'example.com' && url(self).getPort() == '8443'",
    "url(self).getEscapedPath() == '/a%20b' && url(self).getQuery()['x'] == ['1', '2'] && url(self).getQuery()['y'] == ['z']",
    "url('https://[::1]:80/').getHostname() == '::1' && url('https://[::1]:80/').getHost() == '[::1]:80' && url('/p').getHost() == ''",
    "url('https://a/b c/ä').getEscapedPath() == '/b%20c/%C3%A4' && url('https://a').getEscapedPath() == '' && url('https://a/?q=a+b').getQuery()['q'] == ['a b']",
  ],
  "a-name": [
    "!format.dns1123Label().validate(self).hasValue() && format.dns1123Label().validate('A').value().size() == 1",
    "!format.dns1123Subdomain().validate('a.b').hasValue() && !format.dns1035Label().validate(self).hasValue() && !format.qualifiedName().validate('a.b/c').hasValue()",
    "!format.labelValue().validate('a_b').hasValue() && format.labelValue().validate('a b').hasValue() && !format.dns1123LabelPrefix().validate('a-').hasValue()",
    "format.uuid().validate(self).value() == ['does not match the UUID format'] && !format.uri().validate('https://a').hasValue() && format.byte().validate('!').value() == ['invalid base64']",
    "!format.date().validate('2024-02-29').hasValue() && format.datetime().validate('x').value() == ['invalid datetime'] && format.named('dns1123Label').hasValue() && !format.named('none').hasValue()",
  ],
  optionals: [
    "optional.of(1).hasValue() && !optional.none().hasValue() && optional.of(1).value() == 1 && optional.of(1).orValue(2) == 1 && optional.none().orValue(2) == 2",
    "optional.none().or(optional.of(3)).value() == 3 && !optional.ofNonZeroValue('').hasValue() && optional.ofNonZeroValue(1).hasValue()",
    "optional.of(2).optMap(x, x + 1).value() == 3 && !optional.of(2).optFlatMap(x, x > 5 ? optional.of(x) : optional.none()).hasValue()",
    "[1, 2][?1].value() == 2 && ![1][?5].hasValue() && {'a': 1}[?'a'].value() == 1 && !{'a': 1}.?b.hasValue() && {'a': {'b': 1}}.?a.?b.orValue(0) == 1",
    "[optional.of(1), optional.none()].unwrapOpt() == [1] && optional.unwrap([optional.of(1)]) == [1] && optional.of(1) == optional.of(1)",
  ],
};

/** The API server finds them too expensive for the lists that they are called on, however short those are here. */
export const expensive: readonly string[] = [
  "['a', 'b'].join() == 'ab' && ['a', 'b'].join('-') == 'a-b'",
  "[3, 1, 2].max() == 3 && [3, 1, 2].min() == 1 && ['b', 'a'].max() == 'b' && [true, false].min() == false",
  "[1, 2, 2].isSorted() && ![2, 1].isSorted() && ['a', 'b'].isSorted()",
];

const expressions = Object.entries(about).flatMap(([value, lines]) => lines.map((rule) => ({ value, rule })));
const names = expressions.map((_, index) => `e${index}`);

const properties: Fields = Object.fromEntries(
  expressions.map(({ rule }, index) => [
    names[index],
    text({ maxLength: 60, "x-kubernetes-validations": [{ rule, message: rule }] }),
  ]),
);

export const functionCases: readonly SchemaCase[] = [
  {
    name: "functions",
    crd: crdOf("functions", withSpec(properties)),
    objects: specs({
      "are true of": Object.fromEntries(expressions.map(({ value }, index) => [names[index], value])),
    }),
  },
];
