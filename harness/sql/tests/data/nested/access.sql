after.id
after.ID
AFTER.name
t.after.id
t.after.inner.x
after.inner.ts
after.inner.X + 1
after['id']
after['ID']
after['Name']
after.`a.b`
after['a.b']
after.inner['x']
after['inner'].x
(after).id
(after.inner).x
after
after.inner
after.nope
after['nope']
after.id.x
i.x
after[0]
after[i]
after['i' || 'd']
nope.id
t.nope.id
t.i
t.x
t.t.x
t.t.i
t['x']
t.t['x']
t.after
t.t.after
t.after.inner
arr[0]
arr[2]
arr[1L]
arr[CAST(0 AS SMALLINT)]
arr[CAST(0 AS TINYINT)]
arr[-1]
arr[i]
arr[9]
arr['0']
arr['x']
arr[1.0]
arr[NULL]
arr[0] + arr[0]
try_element_at(arr, 1)
if(size(arr) > 0, arr[0], -1)
CASE WHEN i = 0 THEN arr[2] ELSE 0 END
structs.field
structs.FIELD
structs.deep
structs.deep.y
structs['field']
structs[0].field
structs[0].deep.y
structs[0]
structs.field[0]
if(i = 0, structs[1].deep.y, 'none')
if(i = 0, structs[2].field, -1)
structs.nope
structs[0].nope
structs.deep.nope
m['a']
m['b']
m[k]
m['zz']
m['nope']
m[NULL]
m[1]
m.a
m.nope
mi[1]
mi[2]
mi[i]
mi['1']
mi['x']
mi[1L]
mi[1.5]
mi.a
ms['a']
ms['a'].v
ms['a'].w
ms['a'].w[1]
ms[k].v
ms[k].w[0]
ms['a']['v']
ms['a'].nope
nested[0]
nested[0][1]
nested[0][0]
if(i = 0, nested[1], array(9))
nested[0]['x']
s.a
s[0]
i[0]
after.id = 1
after.id IS NULL
after IS NULL
after.inner.x BETWEEN 1 AND 20
coalesce(after.Name, 'none')
upper(after.Name)
CAST(after.id AS STRING) || '!'
after.inner.ts + INTERVAL 1 HOUR
after.id IN (1, 2)
NOT (after.id = 1)
CASE after.id WHEN 1 THEN 'a' ELSE 'b' END
m['a'] > arr[1]
named_struct('a', 1, 'b', 'x').a
named_struct('a', 1, 'b', i).b
struct(i, k).k
struct(i, k AS z).z
struct(1, 2).col2
array(1, 2, 3)[1]
array(i, 2)[0]
map('a', 1, 'b', 2)['b']
element_at(arr, 1)
element_at(m, 'a')
element_at(m, 'nope')
size(arr)
size(m)
