arr[0]
arr[2]
arr[3]
arr[-1]
arr[1L]
arr[CAST(0 AS SMALLINT)]
arr[CAST(0 AS TINYINT)]
arr[i]
arr[i + 1]
arr[NULL]
arr[CAST(NULL AS INT)]
arr[0] + arr[1]
arr[size(arr) - 1]
structs[0].field
structs[0].FIELD
structs[0].deep.y
structs[0]['deep']['y']
structs[0]
structs[1].deep
structs[1].deep.y
structs[2]
structs[2].field
structs[2].deep.y
structs.field[0]
structs.field[2]
structs.deep[0].y
structs.deep.y[0]
structs[i].field
structs[3].field
nested[0]
nested[0][1]
nested[1]
nested[1][0]
nested[2]
nested[2][0]
nested[i][i]
nested[i][i + 1] + arr[i]
ms['a'].w[0]
ms['a'].w[2]
ms['nope'].w[2]
ms['b'].w[2]
ms.a.w[0]
ms.a.v
m[true]
m[arr]
mi[true]
mi[DATE '2024-01-01']
m[DATE '2024-01-01']
mi[CAST(1 AS DECIMAL(10,2))]
mi[1e0]
arr[true]
arr[DATE '2024-01-01']
element_at(arr, 1)
element_at(arr, -1)
element_at(arr, 4)
element_at(arr, 0)
after.inner.x
